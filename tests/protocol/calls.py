"""Calls to try on a world: what a tool's schema allows, what it forbids, and what is no call at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hypothesis import strategies as st

from assay.protocol import Tool

Arguments = Any
Wrap = Callable[[str, Arguments], tuple[str, Arguments]]
"""How an agent makes a call of a tool behind the `code` door: the call of its own that leads there."""

HUGE = 10**30

ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-HUGE, HUGE)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def legal(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Values that fit a JSON schema, as far as its keywords are known here; others are ignored."""
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return st.one_of([legal(option) for option in schema[choice]])
    if "enum" in schema:
        return st.sampled_from(list(schema["enum"]))
    if "const" in schema:
        return st.just(schema["const"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return st.one_of([legal({**schema, "type": one}) for one in kind])
    if kind == "object":
        return _objects(schema)
    if kind == "array":
        return st.lists(
            legal(schema.get("items", {})),
            min_size=schema.get("minItems", 0),
            max_size=min(schema.get("maxItems", 4), schema.get("minItems", 0) + 4),
            unique_by=repr if schema.get("uniqueItems") else None,
        )
    if kind == "integer":
        low = schema.get("minimum", schema.get("exclusiveMinimum", -HUGE - 1) + 1)
        high = schema.get("maximum", schema.get("exclusiveMaximum", HUGE + 1) - 1)
        return st.integers(low, high)
    if kind == "number":
        return st.floats(
            schema.get("minimum", schema.get("exclusiveMinimum")),
            schema.get("maximum", schema.get("exclusiveMaximum")),
            exclude_min="exclusiveMinimum" in schema,
            exclude_max="exclusiveMaximum" in schema,
            allow_nan=False,
            allow_infinity=False,
        )
    if kind == "string":
        if "pattern" in schema:
            return st.from_regex(schema["pattern"])
        return st.text(min_size=schema.get("minLength", 0), max_size=min(schema.get("maxLength", 12), 40))
    return {"boolean": st.booleans(), "null": st.none()}.get(kind, ANYTHING)


def _objects(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    properties = {name: legal(value) for name, value in schema.get("properties", {}).items()}
    required = {name: properties.get(name, ANYTHING) for name in schema.get("required", ())}
    optional = {name: value for name, value in properties.items() if name not in required}
    known = st.fixed_dictionaries(required, optional=optional)
    more = schema.get("additionalProperties", False)
    if not isinstance(more, Mapping):
        return known
    names = legal(schema.get("propertyNames", {"type": "string"}))
    return st.builds(lambda a, b: {**a, **b}, st.dictionaries(names, legal(more), max_size=3), known)


def spoilt(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Arguments with something missing, something too much or something else in place of a value."""

    def spoil(value: Any, name: str, other: Any, how: str) -> Any:
        if not isinstance(value, dict):
            return other
        keys = sorted(value)
        if how == "add" or not keys:
            return {**value, name: other}
        key = keys[len(name) % len(keys)]
        if how == "drop":
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: other}

    return st.builds(
        spoil, legal(schema), st.text(max_size=8), ANYTHING, st.sampled_from(["add", "drop", "replace"])
    )


def sequences(
    tools: Iterable[Tool], wrap: Wrap | None, spare: frozenset[str]
) -> st.SearchStrategy[list[tuple[str, Arguments]]]:
    """Up to eight calls of an agent; tools in `spare` are left out, and those behind the `code` door where
    `wrap` does not say how to reach them."""
    calls: list[st.SearchStrategy[tuple[str, Arguments]]] = [
        st.tuples(st.text(max_size=8), ANYTHING),
    ]
    for tool in tools:
        if tool.name in spare:
            continue
        arguments = st.one_of(legal(tool.schema), legal(tool.schema), spoilt(tool.schema))
        if tool.door == "agent":
            calls.append(st.tuples(st.just(tool.name), arguments))
        elif wrap is not None:
            calls.append(st.builds(wrap, st.just(tool.name), arguments))
    return st.lists(st.one_of(calls), max_size=8)
