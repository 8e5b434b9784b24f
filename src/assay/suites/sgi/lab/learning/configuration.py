"""How a model is trained at test time: the published hyperparameters, and what the paper does not say."""

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

    objective: ObjectiveName = Field("novelty", description="novelty: as published; feasible: plans, too")
    related_works: int = Field(4, ge=1, description="works that an answer is held against")
    threshold: float = Field(5.0, ge=0, lt=10, description="dissimilarity above which an answer is new")
    embedder: str = Field("minilm-l6-v2-int8", description="hash-tf-v1 needs no extra, and sees words alone")


class Items(Section):
    """What the model is asked."""

    seed: int = Field(1, ge=0, description="root seed of the generated items of idea generation")
    count: int = Field(14, ge=1, description="prompts")
    held_out: int = Field(2, ge=0, description="further prompts, for what is measured before and after")
    prompt_characters: int | None = Field(None, ge=1, description="only the last so many of a prompt")


class Training(Section):
    """What TRL's GRPOTrainer is told; nothing is left to its defaults, which change between releases."""

    loss_type: str = Field("grpo", description="the published algorithm; TRL's own default is another")
    num_generations: int = Field(8, ge=2, description="replies a group")
    temperature: float = Field(1.0, gt=0)
    learning_rate: float = Field(5e-7, gt=0)
    per_device_train_batch_size: int = Field(4, ge=1)
    gradient_accumulation_steps: int = Field(
        8, ge=1, description="times the batch size: replies a step, whole groups"
    )
    max_completion_length: int = Field(2048, ge=1, description="tokens")
    bf16: bool = Field(True, description="weights and arithmetic in bfloat16")
    max_steps: int = Field(945, ge=1, description="as many as the published curve has")
    beta: float = Field(0.0, ge=0, description="weight of the divergence from the first model")
    epsilon: float = Field(0.2, gt=0, description="clipping of the ratio")
    num_iterations: int = Field(1, ge=1, description="updates a group")
    scale_rewards: str = Field("group", description="advantages are divided by the group's deviation")
    lr_scheduler_type: str = "constant"
    max_grad_norm: float = Field(1.0, gt=0)
    weight_decay: float = Field(0.0, ge=0)
    seed: int = Field(0, ge=0)
    threads: int = Field(1, ge=1, description="of PyTorch; with one a run is the same each time")


class Learning(Section):
    """All of it."""

    rewarding: Rewarding = Rewarding()
    items: Items = Items()
    training: Training = Training()


def read(path: Path, changes: Mapping[str, Any]) -> Learning:
    """The configuration of a file with changes (`section.name` to a value) on top."""
    try:
        found = strict_yaml.read(path) or {}
    except strict_yaml.Unreadable as problem:
        raise ConfigError(
            f"{path}: {problem}", f"correct the file, or give --config, e.g. {DEFAULT}"
        ) from problem
    if not isinstance(found, dict):
        raise ConfigError(f"{path} holds no mapping", "correct the file")
    for name, value in changes.items():
        section, _, key = name.partition(".")
        if not key or section not in Learning.model_fields:
            raise ConfigError(f"--set {name} names no setting", "give section.name=value, as in the file")
        if not isinstance(found.setdefault(section, {}), dict):
            raise ConfigError(f"{path}: {section} holds no mapping", "correct the file")
        found[section][key] = value
    try:
        checked = Learning.model_validate(found)
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{path}: {place}: {first['msg']}", "correct the file, or --set") from problem
    training = checked.training
    replies = training.per_device_train_batch_size * training.gradient_accumulation_steps
    if replies % training.num_generations:
        raise ConfigError(
            f"{path}: a step has {replies} replies, which are no whole groups of {training.num_generations}",
            "change per_device_train_batch_size or gradient_accumulation_steps of `training`",
        )
    return checked
