"""Scripted models, which are functions of the request that a model receives and of a random stream.

They replace language models where a real one would be slow, expensive or not reproducible: in tests and in
the repository's own recordings, so that the target `all` builds a recorded agent without a key or a network.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from assay import canonical
from assay.agents.transport import Request
from assay.numbers.rng import Stream

SCRIPTED = {
    "collider": "assay.suites.collider.scripted.experimentalist",
    "petri": "assay.suites.petri.scripted.scientist",
    "pilab": "assay.suites.pilab.scripted.principal",
}
"""The scripted models of suites: for each name, the module whose function `play` is the model."""


def __getattr__(name: str) -> Any:
    # Imported by name, because `assay.agents` must not depend on suites.
    if name in SCRIPTED:
        return import_module(SCRIPTED[name]).play
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def sweep(request: Request, stream: Stream) -> str:
    """Return a call of a random tool with arguments that fit its schema; one in eight replies has no call."""
    if stream.below(8) == 0:
        return "Let me think about this."
    tool = stream.choice(request.tools)
    return call(tool.name, **_fitting(tool.schema, stream))


def call(tool: str, **arguments: Any) -> str:
    """Return the text of a reply that calls a tool."""
    return canonical.dumps({"tool": tool, "arguments": arguments})


def _fitting(schema: Mapping[str, Any], stream: Stream) -> Any:
    """Return a random value that fits a JSON schema. Only keywords that tools use are supported."""
    if "enum" in schema:
        return stream.choice(schema["enum"])
    if "const" in schema:
        return schema["const"]
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return _fitting(stream.choice(schema[union]), stream)
    kind = schema.get("type", "object")
    if isinstance(kind, list):
        kind = kind[0]
    if kind == "object":
        required = schema.get("required", [])
        return {name: _fitting(schema["properties"][name], stream) for name in required}
    if kind == "array":
        count = schema.get("minItems", 0) + stream.below(3)
        return [_fitting(schema["items"], stream) for _ in range(min(count, schema.get("maxItems", count)))]
    if kind == "integer":
        least = int(schema.get("minimum", 0))
        return least + stream.below(max(1, int(schema.get("maximum", least + 9)) - least + 1))
    if kind == "number":
        low, high = float(schema.get("minimum", 0)), float(schema.get("maximum", 1))
        return round(low + (high - low) * stream.uniform(), 3)
    return {"string": str(stream.below(10)), "boolean": stream.below(2) == 0, "null": None}[kind]
