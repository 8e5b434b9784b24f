"""The file of a bundle: a tar file, compressed with zstd, whose bytes depend on its members alone."""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from assay.config.base import NAME
from assay.errors import AssayError

LEVEL = 10
"""The level of compression."""

MEMBER = re.compile(
    rf"bundle\.json|card\.yaml|statement\.json|recordings/{NAME}/{NAME}/{NAME}\.(0|[1-9][0-9]{{0,8}})\.jsonl"
)
"""Pattern of the names of a bundle's members; a member with any other name refuses the bundle."""

TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[{\]}]', re.DOTALL)
"""Texts and brackets in JSON."""


@dataclass(frozen=True)
class Limits:
    """Upper limits for the file of a bundle, checked before and while it is unpacked.

    Attributes:
        packed: Bytes of the file.
        unpacked: Bytes of all members.
        ratio: Unpacked bytes for each byte of the file, beyond the first `free` unpacked bytes.
        free: Unpacked bytes for which the ratio is not looked at.
        members: Number of members.
        line: Bytes of a line of a recording.
        depth: Nesting of JSON.
    """

    packed: int = 1 << 29
    unpacked: int = 1 << 31
    ratio: int = 500
    free: int = 1 << 24
    members: int = 200_000
    line: int = 1 << 25
    depth: int = 64


LIMITS = Limits()


class Refusal(AssayError):
    """A bundle cannot be admitted.

    Attributes:
        code: The kind of fault, one word.
        place: The member, or the place in it.
    """

    def __init__(self, code: str, place: str, message: str, remedy: str) -> None:
        super().__init__(f"{place}: {message}" if place else message, remedy)
        self.code = code
        self.place = place
        self.words = message

    def __reduce__(self) -> Any:
        return type(self), (self.code, self.place, self.words, self.remedy)


AGAIN = "make the bundle with `assay submit`, and send that file unchanged"


def pack(members: Mapping[str, bytes]) -> bytes:
    """Return the file with these members: sorted by name, without times, owners and folders."""
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(members):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(members[name]), 0o644, 0
            archive.addfile(entry, io.BytesIO(members[name]))
    packed: bytes = pa.Codec("zstd", LEVEL).compress(tar.getvalue(), asbytes=True)
    return packed


def unpack(path: Path, limits: Limits = LIMITS) -> dict[str, bytes]:
    """Return the members of a file by name. Nothing is written, and nothing beyond the limits is read.

    Raises:
        Refusal: If the file is too large, damaged, or holds anything but plain files with the known names.
    """
    packed = path.stat().st_size
    if packed > limits.packed:
        raise Refusal("size", "", f"{path.name} has {packed} bytes, more than {limits.packed}", "send less")
    members: dict[str, bytes] = {}
    try:
        with pa.input_stream(str(path), compression="zstd") as stream:
            source = _Counted(stream, packed, limits)
            with tarfile.open(fileobj=source, mode="r|", format=tarfile.USTAR_FORMAT) as archive:
                for entry in _entries(archive, limits, members):
                    content = archive.extractfile(entry)
                    members[entry.name] = content.read() if content is not None else b""
            while rest := source.read(1 << 20):
                if rest.strip(b"\0"):
                    raise Refusal("archive", "", "there is more behind its last member", AGAIN)
    except Refusal:
        raise
    except (OSError, tarfile.TarError, EOFError, ValueError) as problem:
        raise Refusal("archive", "", f"{path.name} is damaged or no bundle ({problem})", AGAIN) from problem
    return members


class _Counted(io.RawIOBase):
    """The unpacked bytes of a file, which end in a `Refusal` where they exceed a limit."""

    def __init__(self, stream: Any, packed: int, limits: Limits) -> None:
        self._stream = stream
        self._most = min(limits.unpacked, max(limits.free, packed * limits.ratio))
        self._read = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._stream.read(size)
        self._read += len(data)
        if self._read > self._most:
            raise Refusal("size", "", f"it unpacks to more than {self._most} bytes", "send less")
        return data


def _entries(
    archive: tarfile.TarFile, limits: Limits, members: Mapping[str, bytes]
) -> Iterator[tarfile.TarInfo]:
    """Yield the entries of a tar file; raise `Refusal` at one that is no plain file of a known name."""
    last = ""
    for number, entry in enumerate(archive):
        name = entry.name
        if number >= limits.members:
            raise Refusal("size", "", f"it has more than {limits.members} members", "send less")
        place = ascii(name)
        if not entry.isreg():
            raise Refusal("member", place, "it is a link, a folder or a device, not a plain file", AGAIN)
        if name in members:
            raise Refusal("member", place, "it occurs twice", AGAIN)
        if not name.isascii() or not MEMBER.fullmatch(name) or ".." in name:
            raise Refusal("member", place, "a bundle has no member of that name", AGAIN)
        if name <= last or (entry.mode, entry.mtime, entry.uid, entry.gid) != (0o644, 0, 0, 0):
            raise Refusal("member", place, "it is out of order, or has another mode, owner or time", AGAIN)
        if entry.size < 0 or entry.sparse is not None:
            raise Refusal("member", place, "it is no plain file", AGAIN)
        last = name
        yield entry


def check_depth(data: bytes, place: str, limits: Limits = LIMITS) -> None:
    """Raise `Refusal` if JSON text is nested too deeply, before any parser sees it."""
    depth = deepest = 0
    for token in TOKENS.finditer(data):
        if token[0] in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif token[0] in b"]}":
            depth -= 1
    if deepest > limits.depth:
        raise Refusal("json", place, f"its JSON is nested {deepest} deep, more than {limits.depth}", AGAIN)
