"""Protocols as programs, `out = <Action name>(key=value, ...)`: read generously, or as released."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from assay.suites.sgi.text.contracts import json_values, tagged

Value = str | tuple[str, ...]
"""An argument as it was written, without quotes; a list as a tuple."""

_GAP = r"[ \t]{0,40}"  # bounded, so that a line of blanks is not tried in every way

HEAD = re.compile(
    rf"^{_GAP}(?:(\w{{1,100}}){_GAP}={_GAP})?<?{_GAP}([^\W\d_][^<>()=\n#\"']{{0,79}}?){_GAP}>?{_GAP}\(", re.M
)
RELEASED_HEAD = re.compile(r"\s*(\w+)\s*=\s*<([^<>()=]+)>\s*\(\s*")

PLAIN = re.compile(r"[^\"'#,()\[\]\n]+")
"""Characters of an argument that mean nothing outside of quotes."""

QUOTED = {'"': re.compile(r'[^"\n]+'), "'": re.compile(r"[^'\n]+")}
"""Characters that mean nothing inside of quotes of a kind."""

MOST_STEPS = 1000
"""Steps of a program that are read."""


@dataclass(frozen=True)
class Step:
    """One call; `repeats` counts keys that were given again (the first of them counts)."""

    output: str
    action: str
    arguments: Mapping[str, Value]
    repeats: int = 0


@dataclass(frozen=True)
class Program:
    """The steps in order, and what could not be read."""

    steps: tuple[Step, ...]
    issues: tuple[str, ...] = field(default=())


def same_action(name: str) -> str:
    """A name of an action as it is compared."""
    return " ".join(name.strip(" <>\t").split()).casefold()


@lru_cache(maxsize=8)
def parse(reply: str) -> Program:
    """The program in a reply: in its answer tags, as text or as a JSON list of steps."""
    found = tagged(reply)
    program = parse_text(found.text)
    if not program.steps and "{" in found.text:
        listed = _from_json(found.text)
        program = listed if listed.steps else program
    return Program(program.steps, (*found.issues, *program.issues))


def parse_text(text: str) -> Program:
    """The program that a text holds, whatever stands around it."""
    steps: list[Step] = []
    issues: list[str] = []
    at = 0
    while len(steps) < MOST_STEPS and (head := HEAD.search(text, at)):
        arguments, end, closed = _arguments(text, head.end())
        at = max(end, head.end())
        if not closed:
            issues.append("unclosed_call")
            continue
        if head[1] is None:
            issues.append("no_output")
            continue
        given: dict[str, Value] = {}
        repeats = 0
        for piece in arguments:
            key, equals, value = piece.partition("=")
            key = key.strip().strip("\"'")
            if not equals or not re.fullmatch(r"\w[\w -]*", key):
                issues.append("positional_argument")
            elif key in given:
                repeats += 1
            else:
                given[key] = _value(value.strip())
        steps.append(Step(head[1], head[2].strip(), given, repeats))
    if len(steps) == MOST_STEPS:
        issues.append("cut")
    return Program(tuple(steps), tuple(dict.fromkeys(issues)))


def _arguments(text: str, start: int) -> tuple[list[str], int, bool]:
    """The arguments after an opening parenthesis, where they end, and whether they do.

    A quote ends with its line at the latest, and the head of another step ends a call that was not closed:
    so no character is read twice by many calls.
    """
    pieces: list[str] = []
    piece: list[str] = []
    depth, quote, at = 0, "", start
    while at < len(text):
        # Characters that mean nothing here are taken in one piece: most of a protocol is of this kind.
        if plain := (QUOTED[quote] if quote else PLAIN).match(text, at):
            piece.append(plain[0])
            at = plain.end()
            continue
        c = text[at]
        if quote:
            quote = ""
            if c != "\n":
                piece.append(c)
        elif c in "\"'":
            if not piece or piece[-1][-1] in "=[, \t(":
                quote = c
            piece.append(c)
        elif c == "#":
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            continue
        elif c == "," and depth == 0:
            pieces.append("".join(piece))
            piece = []
        elif c == ")" and depth == 0:
            pieces.append("".join(piece))
            return [p for p in pieces if p.strip()], at + 1, True
        elif c == "\n":
            ahead = HEAD.match(text, at + 1)
            if ahead is not None and ahead[1] is not None:
                return [], at + 1, False
            piece.append(" ")
        else:
            depth = max(depth + {"(": 1, "[": 1, ")": -1, "]": -1}.get(c, 0), 0)
            piece.append(c)
        at += 1
    return [], len(text), False


def _value(text: str) -> Value:
    if text.startswith("[") and text.endswith("]"):
        return tuple(_bare(part) for part in _elements(text[1:-1]))
    return _bare(text)


def _elements(text: str) -> Iterator[str]:
    """The elements of a list, split at commas outside of quotes."""
    piece, quote = "", ""
    for c in text:
        if quote:
            quote = "" if c == quote else quote
            piece += c
        elif c == ",":
            yield piece
            piece = ""
        else:
            if c in "\"'" and not piece.strip():
                quote = c
            piece += c
    if piece.strip():
        yield piece


def _bare(text: str) -> str:
    text = text.strip()
    for quote in ('"', "'"):
        if len(text) >= 2 and text.startswith(quote) and text.endswith(quote):
            return text[1:-1].strip()
    return text


def _from_json(text: str) -> Program:
    """The program of the last JSON list of steps (`output`, `action`, `params`)."""
    found: list[Any] = []
    for value in json_values(text):
        value = value if isinstance(value, list) else [value]
        if any(isinstance(step, dict) and "action" in step for step in value):
            found = value
    steps = []
    issues = []
    for step in found[:MOST_STEPS]:
        if not isinstance(step, dict) or not isinstance(step.get("action"), str):
            issues.append("not_a_step")
            continue
        if not isinstance(step.get("output"), str):
            issues.append("no_output")
            continue
        params = step.get("params")
        given = {str(k): _json_value(v) for k, v in params.items()} if isinstance(params, dict) else {}
        steps.append(Step(step["output"], step["action"], given))
    return Program(tuple(steps), tuple(dict.fromkeys(issues)))


def _json_value(value: Any) -> Value:
    if isinstance(value, list):
        return tuple(_bare(str(part)) for part in value)
    return _bare(str(value))


def parse_released(reply: str) -> Program:
    """The program as the released code reads it.

    A step counts only where its action stands between < and >, and its closing parenthesis alone on a line.
    Double quotes are stripped, single quotes stay.
    """
    steps = []
    head: re.Match[str] | None = None
    given: dict[str, Value] = {}
    for line in tagged(reply, released=True).text.splitlines():
        opening = RELEASED_HEAD.fullmatch(line[:200])
        if opening is not None:
            head, given = opening, {}
        elif head is not None and line.strip() == ")":
            steps.append(Step(head[1], head[2].strip(), given))
            head = None
        elif head is not None and "=" in line:
            key, _, value = line.strip().removesuffix(",").partition("=")
            given[key.strip()] = value.strip().strip('"')
    return Program(tuple(steps[:MOST_STEPS]))


def written(step: Step) -> str:
    """A step in the program's text form."""
    lines = [f"{step.output} = <{step.action}>("]
    outputs = "".join(f"    {key}={_written_value(value)},\n" for key, value in step.arguments.items())
    return lines[0] + "\n" + outputs + ")"


def _written_value(value: Value) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_quoted(part) for part in value) + "]"
    return _quoted(value)


def _quoted(text: str) -> str:
    return text if re.fullmatch(r"[^\W\d]\w*", text) and text.startswith("out_") else f'"{text}"'
