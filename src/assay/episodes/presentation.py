"""What an agent is shown, for programs that know text and pictures and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from assay import canonical
from assay.protocol import BlobRef, Brief, Part, Result

FRESH = "Your context starts anew here: what follows is all that you know."
"""Said before the first message of a new context, where nobody here can make it begin."""


@dataclass(frozen=True)
class Picture:
    """The bytes of a picture, of that media type."""

    data: bytes
    media_type: str


def present(parts: Iterable[Part], read: Callable[[BlobRef], bytes]) -> list[str | Picture]:
    """Each part as text or picture: data as canonical JSON, of a file that is neither its type and size."""
    return [_present(part, read) for part in parts]


def _present(part: Part, read: Callable[[BlobRef], bytes]) -> str | Picture:
    if isinstance(part, BlobRef) and part.media_type.startswith("image/"):
        return Picture(read(part), part.media_type)
    if isinstance(part, BlobRef) and part.media_type.startswith("text/"):
        return read(part).decode(errors="replace")
    return text_of(part)


def text_of(part: Part) -> str:
    """A part as text, for whoever sees no pictures: of a content its type and size."""
    if isinstance(part, BlobRef):
        return f"[{part.media_type}, {part.size} bytes, not shown]"
    return part if isinstance(part, str) else canonical.dumps(part)


def told(result: Result) -> list[Part]:
    """All that a result says: what was asked for, why it was refused, what it means for the episode."""
    said: list[Part] = [FRESH] if result.fresh else []
    said += result.parts
    if result.error is not None:
        said.append(result.error)
    if result.ended is not None:
        said.append(f"The episode is over: {result.ended}.")
    return said


def rules(brief: Brief) -> str:
    """What holds besides the tools themselves: what only code can call, how to answer, the limits."""
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
