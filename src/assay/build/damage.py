"""Find outputs that were damaged: truncated, changed or replaced since their jobs wrote them.

Every job notes the hash and the size of each output in its record in `results/provenance/`. `find` compares
the files with these notes, so it also detects damage in files that no manifest lists, such as shards.
`workflow/run` calls it before Snakemake plans and removes the damaged files, so that Snakemake makes them
again. To be fast, it hashes only files whose status (size, times, inode) has changed since they were last
hashed. A bit that flips on the disk does not change the status, so `assay verify` hashes every file.

A record is named after the first output of its job. If another configuration divides the work into other
shards, a file can become an output of a job with another record, while the old record remains. Therefore the
newest record that lists a file is the one that counts.
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
"""A file with the status of each output when it was last hashed, and its hash."""

SEAL = "sha256"
"""The field of a record that holds the hash of its other fields."""

REWRITTEN = frozenset({"reports/verdict.html"})
"""Files that a command overwrites after their job is done."""


class Damage(NamedTuple):
    """A damaged file: its path in the checkout, and a description of the damage."""

    path: str
    what: str


def note(files: Collection[Path]) -> dict[str, list[Any]]:
    """Return the entry `outputs` of a job's record: the sha256 (hex) and the size in bytes of each path."""
    return {str(file): [_digest(file), file.stat().st_size] for file in files}


def sealed(record: Mapping[str, Any]) -> str:
    """Return the text of a record, with the hash of its fields added as a field."""
    return canonical.dumps({**record, SEAL: canonical.digest(record)}) + "\n"


def find(root: Path, hashes: Hashes | None = None, but: Collection[str] = ()) -> list[Damage]:
    """Compare the outputs of all jobs with their records.

    Args:
        root: The checkout.
        hashes: Known hashes; a file whose status has not changed is not hashed again.
        but: The paths of files that are not compared.

    Returns:
        The damaged outputs and records, sorted by path. A missing file does not count as damaged.
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

    If a record is removed, the output that it is named after is removed as well, because its hash is unknown.
    """
    for path in paths:
        (root / path).unlink(missing_ok=True)
        if Path(path).is_relative_to(RECORDS):
            (root / Path(path).relative_to(RECORDS).with_suffix("")).unlink(missing_ok=True)


class Hashes:
    """Known hashes of files, each with the status (size, times, inode) of the file when it was hashed."""

    def __init__(self) -> None:
        self._before: dict[str, Any] = {}
        self._now: dict[str, Any] = {}

    @classmethod
    def load(cls, file: Path) -> Hashes:
        """Return the hashes saved in a file; they are empty if there is no file or it is damaged."""
        hashes = cls()
        with suppress(OSError, ValueError):
            before = canonical.loads(file.read_bytes())
            hashes._before = before if isinstance(before, dict) else {}
        return hashes

    def save(self, file: Path) -> None:
        """Save the hashes that were confirmed. A failure is ignored: the next run hashes more files."""
        with suppress(OSError):
            part = file.with_name(f"{file.name}.part")
            part.write_text(canonical.dumps(self._now))
            part.replace(file)

    def holds(self, root: Path, path: str, sha256: str) -> bool:
        """Whether a file has this sha256 (hex).

        Raises:
            OSError: If the file cannot be read.
        """
        status = (root / path).stat()
        state = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, sha256]
        if self._before.get(path) != state and _digest(root / path) != sha256:
            return False
        self._now[path] = state
        return True


def main() -> int:
    """Remove the damaged outputs in this checkout and print a note for each; returns the exit code, 0."""
    hashes = Hashes.load(HASHED)
    damages = find(Path(), hashes)
    remove(Path(), [damage.path for damage in damages])
    hashes.save(HASHED)
    for damage in damages:
        print(f"note: {damage.path} {damage.what}: removed, to be made again", file=sys.stderr)
    return 0


def _age(record: Path) -> tuple[int, Path]:
    """Return the sort key of a record: older records come first, records of the same time by name."""
    with suppress(FileNotFoundError):
        return record.stat().st_mtime_ns, record
    return 0, record


def _outputs(record: Path) -> dict[str, tuple[str, int]] | None:
    """Return the sha256 and the size of each output that a record lists, or `None` if it is damaged.

    The result is empty for a record that lists no outputs: that of a command, or one from before outputs were
    noted.
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
    """Return a description of a file's damage; it is empty if the file is intact or missing."""
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
