"""Outputs that are no longer what their jobs wrote: truncated, changed or replaced since.

Every job notes in its record below `results/provenance/` the hash and the size of each output. `find`
compares the files with these notes, so it also detects damage in files that no manifest lists, such as
shards. `workflow/run` calls it before Snakemake plans, removes the damaged files, and Snakemake makes them
again. To be quick, it hashes only files whose status has changed since they were last hashed. A bit that a
disk turns changes no status, so `assay verify` hashes every file.

A record is named after the first output of its job. Where another configuration cuts the work differently,
the same file can be an output of a job with another record, and the record of the first job stays behind.
Therefore the newest record that lists a file decides what it has to be.
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
    """The entry `outputs` of a job's record: for each path its sha256 (hex) and its size in bytes."""
    return {str(file): [_digest(file), file.stat().st_size] for file in files}


def sealed(record: Mapping[str, Any]) -> str:
    """The text of a record, with its own hash in it."""
    return canonical.dumps({**record, SEAL: canonical.digest(record)}) + "\n"


def find(root: Path, hashes: Hashes | None = None, but: Collection[str] = ()) -> list[Damage]:
    """Compare the outputs of all jobs with their records.

    Args:
        root: the checkout.
        hashes: hashes of files that have not changed are taken from here.
        but: paths of files that are not compared.

    Returns:
        The damaged outputs, sorted by path. A file that is missing is not damaged.
    """
    hashes = Hashes() if hashes is None else hashes
    damages: list[Damage] = []
    expected: dict[str, tuple[str, int]] = {}
    for record in sorted((root / RECORDS).rglob("*.json"), key=_age):
        outputs = _outputs(record)
        if outputs is None:
            damages.append(Damage(record.relative_to(root).as_posix(), "is a damaged record"))
        else:
            expected |= outputs
    for path, (sha256, size) in expected.items():
        if path not in but and path not in REWRITTEN:
            what = _what(root, path, sha256, size, hashes)
            damages += [Damage(path, what)] if what else []
    return sorted(damages)


def remove(root: Path, paths: Iterable[str]) -> None:
    """Remove damaged files, so that the next run makes those that it needs.

    With a record, the output that it is named after is removed as well, since nothing vouches for it.
    """
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
        """Whether a file has this hash.

        Raises:
            OSError: the file cannot be read.
        """
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


def _age(record: Path) -> tuple[int, Path]:
    """Sorts records from the oldest to the newest; records of the same time by name."""
    with suppress(FileNotFoundError):
        return record.stat().st_mtime_ns, record
    return 0, record


def _outputs(record: Path) -> dict[str, tuple[str, int]] | None:
    """What a record notes of each output; None where it is damaged.

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
        actual = (root / path).stat().st_size
        if actual != size:
            return f"has {actual} bytes, not the {size} that its job wrote"
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
