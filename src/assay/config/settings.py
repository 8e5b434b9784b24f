"""What the settings of every suite are made of."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict
from pydantic_core import CoreSchema, core_schema


class Section(BaseModel):
    """A section of a suite's `Settings`: unknown keys are refused, and values cannot be assigned."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class OneOf:
    """Marks a text that has to be a name of a registry: `Annotated[str, OneOf(TABLES)]`.

    Pydantic treats it like a `Literal` of these names, with the same messages and the same JSON schema.

    Args:
        registry: the names in the order in which they are offered, e.g. a mapping by name.
    """

    def __init__(self, registry: Iterable[str]) -> None:
        self.names = tuple(registry)

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> CoreSchema:
        """How pydantic validates a value of this type."""
        return core_schema.literal_schema(list(self.names))
