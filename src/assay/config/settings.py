"""What every section of a suite's settings is."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """Unknown keys are refused, values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)
