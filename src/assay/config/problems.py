"""Error messages for configuration files: the file, the key, what is wrong and what would be right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from assay.errors import ConfigError

B = TypeVar("B", bound=BaseModel)


def validate(model: type[B], value: Any, place: str, problems: list[str]) -> B | None:
    """Validate a value of a configuration file.

    Args:
        model: The model that the value must match.
        value: The value as it was read from the file.
        place: The name of the file, for error messages.
        problems: A list to which a message for each mistake is appended.

    Returns:
        The value as an instance of the model, or `None` if there is a mistake.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        by_path: dict[tuple[str, ...], list[Any]] = {}
        for problem in error.errors():
            by_path.setdefault(_path(problem, value), []).append(problem)
        for path, same in by_path.items():
            # If a value must match one of several models (a union), pydantic reports the problems of each.
            # The model that the user meant has the deepest problems, so the shallower ones are dropped.
            deeper = any(len(other) > len(path) and other[: len(path)] == path for other in by_path)
            if not deeper or same[0]["loc"][-1:] == ("[key]",):
                problems.append(_describe(model, path, same, place))
        return None


def _path(problem: Any, value: Any) -> tuple[str, ...]:
    """Return the keys that lead to a problem in the file.

    Pydantic's location also holds the names of the models of a union that it tried; these are left out.
    """
    path, at, form = [], value, None
    for key in problem["loc"]:
        if isinstance(at, dict) and key == at.get("kind") and at is not form:
            form = at
        elif key in at if isinstance(at, dict) else isinstance(at, list) and isinstance(key, int):
            path.append(str(key))
            at = at[key]
    if problem["type"] == "missing":
        path.append(str(problem["loc"][-1]))
    elif problem["type"] in ("union_tag_invalid", "union_tag_not_found"):
        path.append(problem["ctx"]["discriminator"].strip("'"))
    return tuple(path)


def _describe(model: type[BaseModel], path: tuple[str, ...], same: list[Any], place: str) -> str:
    """Return a message of one line: the file, the key, what is wrong and what would be right."""
    start = f"{place}: {'.'.join(path) or '(file)'}: "
    problem = same[0]
    got = problem["input"]
    if problem["type"] == "extra_forbidden":
        return f"{start}unknown key" + nearest(path[-1], _fields_at(model, path[:-1]), "keys here")
    if problem["type"] == "union_tag_not_found":
        return f"{start}field required"
    if problem["type"] == "union_tag_invalid":
        message, got = f"input should be one of {problem['ctx']['expected_tags']}", got[path[-1]]
    else:
        messages = [one["msg"].partition(" or instance of ")[0] for one in same]
        message = "; or ".join(f"{text[:1].lower()}{text[1:]}" for text in messages)
    value = repr(got)
    value = value if len(value) <= 60 else value[:57] + "..."
    return f"{start}{message}" + ("" if problem["type"] == "missing" else f" (got {value})")


def _fields_at(model: type[BaseModel], path: tuple[str, ...]) -> list[str]:
    """Return the keys that a model accepts below a path of keys, found by walking its JSON schema."""
    schema = model.model_json_schema()
    nodes = [schema]
    for key in path:
        nodes = [
            child
            for node in (_resolve(schema, n) for n in _alternatives(schema, nodes))
            for child in (
                node.get("properties", {}).get(key),
                node.get("additionalProperties"),
                *node.get("patternProperties", {}).values(),
            )
            if isinstance(child, dict)
        ] or nodes
    return sorted(
        {
            name
            for node in _alternatives(schema, nodes)
            for name in _resolve(schema, node).get("properties", {})
        }
    )


def _alternatives(schema: dict[str, Any], nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    alternatives = []
    for node in (_resolve(schema, n) for n in nodes):
        alternatives += _alternatives(schema, node.get("anyOf") or node.get("oneOf") or []) or [node]
    return alternatives


def _resolve(schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    reference = node.get("$ref")
    return schema["$defs"][reference.rsplit("/", 1)[1]] if reference else node


def nearest(word: str, known: Iterable[str], what: str) -> str:
    """Return the end of an error message: the known word nearest to an unknown one, or all known words.

    >>> nearest("leaderbord", ["leaderboard", "tiers"], "tables")
    "; did you mean 'leaderboard'?"
    """
    known = sorted(known)
    if not known:
        return ""
    close = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; {what}: {', '.join(known)}"


def all_problems(problems: list[str]) -> ConfigError:
    listed = "\n  ".join(problems)
    number = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    return ConfigError(
        f"the configuration has {number}:\n  {listed}",
        "mend the lines above; config/schemas/ says what each file may hold",
    )
