"""The base class of every section of the configuration, and the type of names."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

NAME = r"[a-z0-9][a-z0-9._-]*"
"""The pattern of the names of suites, sets and agents; the Snakefile uses it for its wildcards as well."""

Name = Annotated[str, StringConstraints(pattern=f"^{NAME}$")]


class Model(BaseModel):
    """A section of the configuration.

    Unknown keys are refused, values are not converted to other types, and attributes cannot be assigned.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)
