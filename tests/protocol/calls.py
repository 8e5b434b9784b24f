"""Calls to try on a world: what a tool's schema allows, what it forbids, and what is no call at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from assay.protocol import BlobRef, Brief, Json

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


@dataclass(frozen=True)
class Words:
    """What the agent has read, and may say back: names and numbers of the brief."""

    names: tuple[str, ...] = ()
    numbers: tuple[float, ...] = ()

    @classmethod
    def of(cls, brief: Brief, spare: frozenset[str]) -> Words:
        """The short texts and the numbers of a brief, without the names in `spare`."""
        leaves = [*_leaves([part for part in brief.parts if not isinstance(part, BlobRef)])]
        leaves += [tool.name for tool in brief.tools]
        names = {leaf for leaf in leaves if isinstance(leaf, str) and len(leaf) < 30} - spare
        numbers = {leaf for leaf in leaves if isinstance(leaf, int | float)}
        return cls(tuple(sorted(names)), tuple(sorted(numbers)))


def _leaves(value: Json) -> Iterator[Json]:
    if isinstance(value, dict):
        yield from value
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _leaves(inner)
    else:
        yield value


def legal(schema: Mapping[str, Any], words: Words) -> st.SearchStrategy[Any]:
    """Values that fit a JSON schema, as far as its keywords are known here; others are ignored."""
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return st.one_of([legal(option, words) for option in schema[choice]])
    if "enum" in schema:
        return st.sampled_from(list(schema["enum"]))
    if "const" in schema:
        return st.just(schema["const"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return st.one_of([legal({**schema, "type": one}, words) for one in kind])
    if kind == "object":
        return _objects(schema, words)
    if kind == "array":
        return st.lists(
            legal(schema.get("items", {}), words),
            min_size=schema.get("minItems", 0),
            max_size=min(schema.get("maxItems", 4), schema.get("minItems", 0) + 4),
            unique_by=repr if schema.get("uniqueItems") else None,
        )
    if kind == "integer":
        low = schema.get("minimum", schema.get("exclusiveMinimum", -HUGE - 1) + 1)
        high = schema.get("maximum", schema.get("exclusiveMaximum", HUGE + 1) - 1)
        return st.integers(low, high)
    if kind == "number":
        return _numbers(schema, words)
    if kind == "string":
        return _texts(schema, words)
    if kind == "boolean":
        return st.booleans()
    return st.none() if kind == "null" else ANYTHING


def _texts(schema: Mapping[str, Any], words: Words) -> st.SearchStrategy[str]:
    if "pattern" in schema:
        return st.from_regex(schema["pattern"])
    least, most = schema.get("minLength", 0), min(schema.get("maxLength", 12), 40)
    known = [name for name in words.names if least <= len(name) <= most]
    free = st.text(min_size=least, max_size=most)
    return st.one_of(st.sampled_from(known), free) if known else free


def _numbers(schema: Mapping[str, Any], words: Words) -> st.SearchStrategy[float]:
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    free = st.floats(
        low,
        high,
        exclude_min="exclusiveMinimum" in schema,
        exclude_max="exclusiveMaximum" in schema,
        allow_nan=False,
        allow_infinity=False,
    )
    known = [n for n in words.numbers if (low is None or low < n) and (high is None or n < high)]
    return st.one_of(st.sampled_from(known), free) if known else free


def _objects(schema: Mapping[str, Any], words: Words) -> st.SearchStrategy[Any]:
    properties = {name: legal(value, words) for name, value in schema.get("properties", {}).items()}
    required = {name: properties.get(name, ANYTHING) for name in schema.get("required", ())}
    optional = {name: value for name, value in properties.items() if name not in required}
    known = st.fixed_dictionaries(required, optional=optional)
    more = schema.get("additionalProperties", False)
    if not isinstance(more, Mapping):
        return known
    names = legal(schema.get("propertyNames", {"type": "string"}), words)
    return st.builds(lambda a, b: {**a, **b}, st.dictionaries(names, legal(more, words), max_size=3), known)


def spoilt(schema: Mapping[str, Any], words: Words) -> st.SearchStrategy[Any]:
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
        spoil,
        legal(schema, words),
        st.text(max_size=8),
        ANYTHING,
        st.sampled_from(["add", "drop", "replace"]),
    )


def sequences(
    brief: Brief, wrap: Wrap | None, spare: frozenset[str]
) -> st.SearchStrategy[list[tuple[str, Arguments]]]:
    """Up to eight calls of an agent.

    Tools in `spare` are left out, and those behind the `code` door where `wrap` does not say how to reach
    them.
    """
    words = Words.of(brief, spare)
    calls = [st.tuples(st.text(max_size=8), ANYTHING)]
    for tool in brief.tools:
        if tool.name in spare:
            continue
        fitting = legal(tool.schema, words)
        arguments = st.one_of(fitting, fitting, spoilt(tool.schema, words))
        if tool.audience == "agent":
            calls.append(st.tuples(st.just(tool.name), arguments))
        elif wrap is not None:
            calls.append(st.builds(wrap, st.just(tool.name), arguments))
    return st.lists(st.one_of(calls), max_size=8)
