"""What every section of the configuration is."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

NAME = r"[a-z0-9][a-z0-9._-]*"
"""Names of suites, sets and agents; the Snakefile constrains its wildcards with the same pattern."""

Name = Annotated[str, StringConstraints(pattern=f"^{NAME}$")]


class Model(BaseModel):
    """A section of the configuration: unknown keys are refused, types and values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)
