"""The rules by which answers are found in replies: tags, fences, JSON, boxes."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

OPENING, CLOSING = "<answer>", "</answer>"

FENCE = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)^[ \t]*```[ \t]*$", re.MULTILINE | re.DOTALL)

MARKS = re.compile(r'["{}\[\]\\\n]')
"""What matters for where a JSON value ends."""

LONGEST = 1_000_000
"""Characters of a reply that are read; a longer one is cut, with the issue `cut`."""


@dataclass(frozen=True)
class Tagged:
    """The answer within a reply, and what was odd about finding it."""

    text: str
    issues: tuple[str, ...] = ()


def tagged(reply: str, released: bool = False) -> Tagged:
    """The text of the last `<answer>` that is closed.

    Without a closed one the text after the last opening tag (issue `unclosed`), without any tag the whole
    (issue `no_tag`). The released code takes the last opening tag even if nothing closes it.
    """
    issues: tuple[str, ...] = ("cut",) if len(reply) > LONGEST else ()
    reply = reply[:LONGEST]
    last = reply.rfind(OPENING)
    if last < 0:
        return Tagged(reply.strip(), (*issues, "no_tag"))
    end = reply.rfind(CLOSING)
    closed = last if released else reply.rfind(OPENING, 0, max(end, 0))
    if not released and closed >= 0:
        start = closed + len(OPENING)
        return Tagged(reply[start : reply.index(CLOSING, start)].strip(), issues)
    start = last + len(OPENING)
    found = reply.find(CLOSING, start)
    if found < 0:
        return Tagged(reply[start:].strip(), (*issues, "unclosed"))
    return Tagged(reply[start:found].strip(), issues)


def unfenced(text: str) -> str:
    """The contents of all fenced blocks joined by a blank line; the text itself where there is none."""
    blocks = FENCE.findall(text) if text.count("```") >= 2 else []
    if blocks:
        return "\n\n".join(block.rstrip("\n") for block in blocks)
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("```"))


def json_values(text: str) -> Iterator[Any]:
    """Every balanced JSON object or list of a text, outermost first, in order of appearance.

    A value that does not parse gives way to what is inside it. No scan begins twice at one place.
    """
    at = 0
    for start, end in sorted(_balanced(text), key=lambda span: (span[0], -span[1])):
        if start < at:
            continue
        try:
            value = json.loads(text[start:end])
        except (ValueError, RecursionError):
            continue
        at = end
        yield value


def _balanced(text: str) -> list[tuple[int, int]]:
    """Spans between matching brackets, outside of quoted strings; at most a few thousand, and not too long.

    One pass: a stack of open brackets. Quotes count only inside a bracket and end with their line.
    """
    spans: list[tuple[int, int]] = []
    stack: list[tuple[str, int]] = []
    quoted = False
    escaped = -1  # where a character stands that a backslash makes an ordinary one
    work = 0
    for mark in MARKS.finditer(text):
        at, c = mark.start(), mark[0]
        if at == escaped:
            continue
        if quoted:
            if c == "\\":
                escaped = at + 1
            quoted = c not in '"\n'
        elif c == '"':
            quoted = bool(stack)
        elif c in "{[":
            stack.append((c, at))
        elif c in "}]" and stack:
            opening, start = stack.pop()
            if (opening, c) in (("{", "}"), ("[", "]")):
                work += at - start
                if len(spans) >= 4000 or work > 20 * LONGEST:  # deep nests would be parsed again and again
                    break
                spans.append((start, at + 1))
    return spans


def json_object(text: str, keys: Collection[str]) -> dict[str, Any] | None:
    """The last JSON object in a text that has at least one of the keys; null where there is none."""
    found = None
    for value in json_values(text):
        if isinstance(value, dict) and any(key in value for key in keys):
            found = value
    return found


BOX = re.compile(r"\\boxed\{")
WRAPPER = re.compile(r"\\(?:text|textbf|mathrm|mathbf|textit|mathit)\{([^{}]*)\}")
LETTER_LINE = re.compile(r"\(?([A-Za-z])\)?\.?")


@dataclass(frozen=True)
class Choice:
    """The letter of an option, and where it was found: box, json, line; empty where there is none."""

    letter: str | None
    source: str = ""


def choice(reply: str) -> Choice:
    """The letter in the last box that holds one; else the JSON `answer`; else a last line of one letter."""
    reply = reply[-LONGEST:]
    boxes = [_boxed(reply, match.end()) for match in BOX.finditer(reply)]
    for content in reversed(boxes):
        letter = _letter(content)
        if letter is not None:
            return Choice(letter, "box")
    found = json_object(reply, frozenset({"answer", "readings"})) or {}
    letter = _letter(str(found.get("answer", "")))
    if letter is not None:
        return Choice(letter, "json")
    lines = reply.rstrip().rsplit("\n", 1)
    match = LETTER_LINE.fullmatch(lines[-1].strip()) if lines else None
    return Choice(match[1].upper(), "line") if match else Choice(None)


def released_choice(reply: str) -> str | None:
    """The letter as the released code finds it: the first box of one capital letter."""
    match = re.search(r"\\boxed\{([A-Z])\}", reply)
    return match[1] if match else None


def _boxed(text: str, start: int) -> str:
    """The content of a box up to its closing brace, at most 80 characters."""
    depth = 1
    for at in range(start, min(len(text), start + 80)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[start:at]
    return ""


def _letter(content: str) -> str | None:
    content = WRAPPER.sub(r"\1", content)
    content = re.sub(r"[\s()]", "", content)
    content = content.removesuffix(".")
    return content.upper() if re.fullmatch(r"[A-Za-z]", content) else None
