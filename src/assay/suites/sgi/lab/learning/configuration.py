"""How a model is trained at test time; `config/learning/sgi-ttrl.yaml` holds every value."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from assay.config import yaml as strict_yaml
from assay.config.settings import Section
from assay.errors import ConfigError
from assay.suites.sgi.lab.learning.rewards import ObjectiveName

DEFAULT = Path("config/learning/sgi-ttrl.yaml")


class Rewarding(Section):
    """What is rewarded."""

    objective: ObjectiveName = Field(description="novelty: as published; feasible: plans, too")
    related_works: int = Field(ge=1, description="works that an answer is held against")
    threshold: float = Field(ge=0, lt=10, description="dissimilarity above which an answer is new")
    embedder: str = Field(description="hash-tf-v1 needs no extra, and sees words alone")


class Items(Section):
    """What the model is asked."""

    seed: int = Field(ge=0, description="decides the order of the archived items")
    count: int = Field(ge=1, description="prompts")
    held_out: int = Field(ge=0, description="further prompts, for what is measured before and after")
    prompt_characters: int | None = Field(None, ge=1, description="only the last so many of a prompt")


class Learning(Section):
    """All of it."""

    rewarding: Rewarding
    items: Items
    training: dict[str, str | bool | int | float] = Field(description="arguments of TRL's GRPOConfig")


def read(path: Path, changes: Mapping[str, Any]) -> Learning:
    """The configuration of a file with changes (`section.name` to a value) on top."""
    try:
        found: Any = strict_yaml.read(path)
        for name, value in changes.items():
            section, _, key = name.partition(".")
            if not key or section not in Learning.model_fields:
                raise ConfigError(f"--set {name} names no setting", "give section.name=value, as in the file")
            found[section][key] = value
        return Learning.model_validate(found)
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{path}: {place}: {first['msg']}", "correct the file, or --set") from problem
    except (strict_yaml.Unreadable, KeyError, TypeError) as problem:
        raise ConfigError(
            f"{path}: {problem}", f"correct the file, or give --config, e.g. {DEFAULT}"
        ) from problem
