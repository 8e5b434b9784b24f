"""Conversion of briefs and results to text and pictures, for programs that accept nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from assay import canonical
from assay.protocol import BlobRef, Brief, Part, Result

FRESH = "Your context starts anew here: what follows is all that you know."
"""The text before the first message of a new context, for programs whose context Assay cannot clear."""


@dataclass(frozen=True)
class Picture:
    """A picture: its bytes and their media type."""

    data: bytes
    media_type: str


def present(parts: Iterable[Part], read: Callable[[BlobRef], bytes]) -> list[str | Picture]:
    """Return each part as text or picture.

    Data becomes canonical JSON. A file that is neither text nor picture is replaced by its type and size.

    Args:
        parts: The parts of a brief or result.
        read: Returns the bytes of a reference.
    """
    return [_present(part, read) for part in parts]


def _present(part: Part, read: Callable[[BlobRef], bytes]) -> str | Picture:
    if isinstance(part, BlobRef) and part.media_type.startswith("image/"):
        return Picture(read(part), part.media_type)
    if isinstance(part, BlobRef) and part.media_type.startswith("text/"):
        return read(part).decode(errors="replace")
    return text_of(part)


def text_of(part: Part) -> str:
    """Return a part as text. A picture or file is replaced by its type and size."""
    if isinstance(part, BlobRef):
        return f"[{part.media_type}, {part.size} bytes, not shown]"
    return part if isinstance(part, str) else canonical.dumps(part)


def result_parts(result: Result) -> list[Part]:
    """Return a result as parts: its own parts, the refusal, and the end of the episode."""
    parts: list[Part] = [FRESH] if result.fresh else []
    parts += result.parts
    if result.error is not None:
        parts.append(result.error)
    if result.ended is not None:
        parts.append(f"The episode is over: {result.ended}.")
    return parts


def rules(brief: Brief) -> str:
    """Return the rules that a list of the agent's tools does not contain, as text.

    These are the tools that only code can call, the tool for the answer, and the limits.
    """
    lines = []
    if code := [tool for tool in brief.tools if tool.audience == "code"]:
        lines.append("Inside code that you run, these can be called:")
        lines += [f"- {tool.name}: {tool.doc}\n  {canonical.dumps(dict(tool.schema))}" for tool in code]
    if brief.reply is not None:
        lines.append(f"Give your answer with the tool {brief.reply}.")
    if brief.limits:
        limits = ", ".join(f"{name} {most}" for name, most in sorted(brief.limits.items()))
        lines.append(f"The most that you may use: {limits}.")
    return "\n".join(lines)
