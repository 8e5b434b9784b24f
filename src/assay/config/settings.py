"""Building blocks of the room `settings` of every suite."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict
from pydantic_core import CoreSchema, core_schema


class Section(BaseModel):
    """A section of a suite's `Settings`. Unknown keys are refused, and attributes cannot be assigned."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class OneOf:
    """An annotation for a string that must be a name in a registry: `Annotated[str, OneOf(TABLES)]`.

    Pydantic treats it like a `Literal` of these names, with the same messages and the same JSON schema.

    Args:
        registry: The names, in the order in which messages and the schema list them, e.g. a mapping by name.
    """

    def __init__(self, registry: Iterable[str]) -> None:
        self.names = tuple(registry)

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> CoreSchema:
        """Return the schema by which pydantic validates a value of this type."""
        return core_schema.literal_schema(list(self.names))
