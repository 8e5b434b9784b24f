"""Outputs that are no longer what their jobs made: cut off, changed or replaced since.

Every job notes in its record below `results/provenance/` the hash and the size of each output. `find` holds
the files against these notes, so that damage is also seen in files that no manifest lists, such as shards.
`workflow/run` does so before Snakemake plans, removes what is damaged, and Snakemake makes it again. So that
this takes a moment, it hashes only files whose status has changed since they were last hashed. A disk that
turns a bit changes none: `assay verify` hashes every file.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from assay import canonical

RECORDS = Path("results/provenance")

HASHED = Path(".snakemake/assay-hashed.json")
"""The status of each file when it was last hashed, and its hash."""

SEAL = "sha256"
"""The field of a record that holds the hash of the others."""

REWRITTEN = frozenset({"reports/verdict.html"})
"""Files that a command writes over after their job is done."""


class Damage(NamedTuple):
    """A file that is not what its job made: its path in the checkout, and in words what is wrong."""

    path: str
    what: str


def note(files: Collection[Path]) -> dict[str, list[Any]]:
    """What a record says of the outputs of a job: path -> sha256 (hex), size in bytes."""
    return {str(file): [_digest(file), file.stat().st_size] for file in files}


def sealed(record: Mapping[str, Any]) -> str:
    """The text of a record, with its own hash in it."""
    return canonical.dumps({**record, SEAL: canonical.digest(record)}) + "\n"


def find(root: Path, hashes: Hashes | None = None, but: Collection[str] = ()) -> list[Damage]:
    """The damaged outputs below `root`, sorted by path; a file that is missing is not damaged.

    Hashes of files that have not changed are taken from `hashes`; `but` names files that are not looked at.
    """
    hashes = Hashes() if hashes is None else hashes
    found: dict[str, Damage] = {}
    for record in sorted((root / RECORDS).rglob("*.json")):
        noted = _outputs(record)
        if noted is None:
            path = record.relative_to(root).as_posix()
            found[path] = Damage(path, "is a damaged record")
            continue
        for path, (sha256, size) in noted.items():
            what = "" if path in but or path in REWRITTEN else _what(root, path, sha256, size, hashes)
            if what:
                found[path] = Damage(path, what)
    return [found[path] for path in sorted(found)]


def remove(root: Path, paths: Iterable[str]) -> None:
    """Remove damaged files, so that the next run makes those that it needs; with a record what it is of."""
    for path in paths:
        (root / path).unlink(missing_ok=True)
        if Path(path).is_relative_to(RECORDS):
            (root / Path(path).relative_to(RECORDS).with_suffix("")).unlink(missing_ok=True)


class Hashes:
    """Hashes of files by their status."""

    def __init__(self) -> None:
        self._before: dict[str, Any] = {}
        self._now: dict[str, Any] = {}

    @classmethod
    def load(cls, file: Path) -> Hashes:
        """Those that were saved in a file, or none."""
        hashes = cls()
        with suppress(OSError, ValueError):
            before = canonical.loads(file.read_bytes())
            hashes._before = before if isinstance(before, dict) else {}
        return hashes

    def save(self, file: Path) -> None:
        """Keep those that were asked for; where that cannot be, the next run hashes more."""
        with suppress(OSError):
            part = file.with_name(f"{file.name}.part")
            part.write_text(canonical.dumps(self._now))
            part.replace(file)

    def holds(self, root: Path, path: str, sha256: str) -> bool:
        """Whether that file has that hash. Raises `OSError`."""
        status = (root / path).stat()
        state = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, sha256]
        if self._before.get(path) != state and _digest(root / path) != sha256:
            return False
        self._now[path] = state
        return True


def main() -> int:
    """Remove what is damaged in this checkout, and say so; returns the exit code."""
    hashes = Hashes.load(HASHED)
    damages = find(Path(), hashes)
    remove(Path(), [damage.path for damage in damages])
    hashes.save(HASHED)
    for damage in damages:
        print(f"note: {damage.path} {damage.what}: removed, to be made again", file=sys.stderr)
    return 0


def _outputs(record: Path) -> dict[str, tuple[str, int]] | None:
    """What a record notes of each output; null where it is damaged.

    A record of a command, or of a job before there were notes, notes nothing.
    """
    try:
        text = record.read_bytes()
        value = canonical.loads(text)
        if value.pop(SEAL, None) is None and "outputs" not in value:
            return {}
        noted = {path: (sha256, size) for path, (sha256, size) in value["outputs"].items()}
        return noted if sealed(value).encode() == text else None
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _what(root: Path, path: str, sha256: str, size: int, hashes: Hashes) -> str:
    """What is wrong with a file; empty where nothing is, or where it is missing."""
    try:
        found = (root / path).stat().st_size
        if found != size:
            return f"has {found} bytes, not the {size} that its job wrote"
        if not hashes.holds(root, path, sha256):
            return "has other bytes than its job wrote"
    except FileNotFoundError:
        return ""
    except OSError as problem:
        return f"cannot be read ({problem.strerror})"
    return ""


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
