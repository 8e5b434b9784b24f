"""The content store: a job that was done before is not done again; its outputs are copied back.

    <store>/jobs/ab/cdef...     what the job of that key made: output name -> [sha256, size], as JSON
    <store>/blobs/ab/cdef...    contents by their sha256
    <store>/digests/ab/cdef...  the sha256 of large input files, by path and file status, as JSON
    <store>/partial/            what is being written
    <store>/conflicts.log       jobs that gave other bytes than before

The key of a job holds all that its outputs can depend on: the fingerprint of its source, its configuration,
the paths and digests of its inputs, the names of its outputs. Contents are copied, never linked, because
Snakemake touches outputs and people edit them; they are hashed on the way, so that a damaged one is noticed,
named, dropped and made again. Below its JSON an entry has the sha256 of that line, to the same end. Whatever
goes wrong with the store is a miss, never a failed job.

Files come into being by renaming a finished one, so that two runs, also on two machines, can share a store.
It can be emptied at any time. `ASSAY_STORE` moves it (default `.store` in the checkout) or switches it off
(`off`); `ASSAY_STORE_LIMIT` says how large `trim` leaves it (default 20G).
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from assay import canonical
from assay.errors import ConfigError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping, Sequence

ROOT = Path(__file__).resolve().parents[3]
"""The checkout that this module belongs to."""

FROZEN_VIEW = "results/.frozen/"
"""Where files that show several agents are made a second time, over the frozen agents alone.

Below it a file has the path that it has in the checkout, as in `results/.frozen/reports/index.html`. A job is
the same in both places, so the keys of jobs leave this folder out. No suite can have its name.
"""

DEFAULT = ".store"
DEFAULT_LIMIT = "20G"
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

CHUNK = 1 << 20
SMALL = 1 << 16
"""Below this size in bytes, hashing a file is as quick as looking up its digest."""

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})

SETTLED = 2.0
"""Seconds after which a further write must show in a file's time stamps."""

ABANDONED = 86400.0
"""Seconds after which a half-written file belongs to nobody."""


class Usage(NamedTuple):
    """What a store holds: finished jobs, contents, and bytes of all files."""

    jobs: int
    blobs: int
    size: int


def open_store(root_dir: Path) -> Store | None:
    """The store of a checkout, or None where `ASSAY_STORE=off`. Nothing is created yet.

    Args:
        root_dir: the checkout; a relative `ASSAY_STORE` is relative to it.

    Raises:
        ConfigError: `ASSAY_STORE` names something that is not a folder.
    """
    value = os.environ.get("ASSAY_STORE") or DEFAULT
    if value == "off":
        return None
    folder = root_dir / Path(value).expanduser()
    if folder.exists() and not folder.is_dir():
        raise ConfigError(
            f"ASSAY_STORE={value}: {folder} is not a folder",
            "give a folder (it may be new), or ASSAY_STORE=off to work without a store",
        )
    return Store(folder)


def size_limit() -> int:
    """The limit of `ASSAY_STORE_LIMIT` in bytes.

    Raises:
        ConfigError: it is not a size.
    """
    value = os.environ.get("ASSAY_STORE_LIMIT") or DEFAULT_LIMIT
    size = re.fullmatch(r"(\d+)([KMGT]?)", value.strip().upper(), re.ASCII)
    if not size:
        raise ConfigError(
            f"ASSAY_STORE_LIMIT={value} is not a size",
            "give bytes, or a whole number with K, M, G or T, for example 500M",
        )
    return int(size[1]) * UNITS[size[2]]


def job_key(
    fingerprint: str,
    config: str,
    inputs: Mapping[str, Sequence[tuple[str, str]]],
    outputs: Mapping[str, str],
) -> str:
    """The key (sha256, hex) of a job: equal keys, equal outputs.

    Args:
        fingerprint: of the source that the job can reach.
        config: its configuration as canonical JSON text.
        inputs: for each input the path as given and the sha256 of every file.
        outputs: for each output its bare file name, since some formats hold the name of their own file.
    """
    return canonical.digest([fingerprint, config, inputs, outputs])


class Store:
    """A content store in a folder, which need not exist yet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def restore(self, key: str, targets: Mapping[str, Path]) -> dict[str, str] | None:
        """Copy the outputs of a job to the targets.

        Args:
            key: of the job (`job_key`).
            targets: where to write each output; these files must not exist.

        Returns:
            The sha256 of each output, or None for a miss, which leaves no target behind.

        Raises:
            OSError: the disk of the targets is full or read-only; the work itself would fail in the same way.
        """
        record = self._record(key)
        if record is None or record.keys() != targets.keys():
            return None
        try:
            for name, target in targets.items():
                if not self._restore_blob(record[name][0], target):
                    break
            else:
                _used_now(self._job(key))
                return {name: sha256 for name, (sha256, _) in record.items()}
        except OSError as problem:
            if problem.errno in NO_ROOM:
                _remove_all(targets.values())
                raise
        _remove_all(targets.values())
        return None

    def keep(self, key: str, outputs: Mapping[str, Path]) -> None:
        """Keep copies of the outputs of a finished job.

        Where an equal job gave other bytes before, something in it is not deterministic. This is printed as a
        warning and written to `conflicts.log`, and the new outputs replace the old ones.
        """
        try:
            record = {name: self._keep_blob(path) for name, path in outputs.items()}
            before = self._record(key) or {}
            self._write(self._job(key), _sealed(record))
            for name, (sha256, _) in record.items():
                if name in before and before[name][0] != sha256:
                    self._report(key, outputs[name], before[name][0], sha256)
        except OSError:
            return

    def digest(self, path: Path) -> str:
        """The sha256 (hex) of a file; for large files it is remembered by path, size, times and inode."""
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            if status.st_size < SMALL:
                return hashlib.sha256(file.read()).hexdigest()
            state = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
            note = self._place("digests", hashlib.sha256(os.fsencode(path.absolute())).hexdigest())
            remembered = _entry(note)
            if isinstance(remembered, list) and remembered[:-1] == state:
                return str(remembered[-1])
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            # A second write within one tick of the file system's clock would leave the same times.
            if time.time() - max(status.st_mtime, status.st_ctime) > SETTLED:
                try:
                    self._write(note, _sealed([*state, sha256]))
                except OSError:
                    return sha256
            return sha256

    def usage(self) -> Usage:
        files = {kind: list(self._files(kind)) for kind in ("jobs", "blobs", "digests")}
        size = sum(status.st_size for entries in files.values() for _, status in entries)
        return Usage(len(files["jobs"]), len(files["blobs"]), size)

    def trim(self, limit: int) -> Usage:
        """Remove the least recently used files until at most `limit` bytes are left.

        Call it at the end of a run. Runs that use the store meanwhile see misses.

        Returns:
            What was removed.
        """
        for path, status in self._files("partial"):
            if time.time() - status.st_mtime > ABANDONED:
                _remove(path)
        entries = [
            (status, kind, path)
            for kind in ("jobs", "blobs", "digests")
            for path, status in self._files(kind)
        ]
        entries.sort(key=lambda entry: (entry[0].st_mtime_ns, entry[2]))
        size = sum(status.st_size for status, _, _ in entries)
        removed = {"jobs": 0, "blobs": 0, "digests": 0}
        freed = 0
        for status, kind, path in entries:
            if size - freed <= limit:
                break
            _remove(path)
            removed[kind] += 1
            freed += status.st_size
        return Usage(removed["jobs"], removed["blobs"], freed)

    def clear(self) -> Usage:
        """Remove every entry and the log of conflicts, but no other file; returns what was removed."""
        removed = self.trim(-1)
        for path, _ in self._files("partial"):
            _remove(path)
        _remove(self.folder / "conflicts.log")
        return removed

    def check(self) -> list[Path]:
        """Read every entry and drop the damaged ones; returns their files."""
        damaged = [
            path
            for kind in ("jobs", "digests")
            for path, _ in self._files(kind)
            if _entry(path) is None and not path.exists()
        ]
        for path, _ in self._files("blobs"):
            try:
                with path.open("rb") as blob:
                    actual = hashlib.file_digest(blob, "sha256").hexdigest()
            except OSError:
                continue
            if actual != path.parent.name + path.name:
                _drop(path)
                damaged.append(path)
        return damaged

    def conflicts(self) -> int:
        """How many outputs differed from those of an equal job before."""
        try:
            return len((self.folder / "conflicts.log").read_text("utf-8").splitlines())
        except OSError:
            return 0

    def _restore_blob(self, sha256: str, target: Path) -> bool:
        blob = self._place("blobs", sha256)
        with blob.open("rb") as source, target.open("xb") as copy:
            actual, _ = _copy(source, copy)
        if actual != sha256:
            _drop(blob)
            return False
        _used_now(blob)
        return True

    def _keep_blob(self, path: Path) -> tuple[str, int]:
        temporary = self._temporary()
        try:
            with path.open("rb") as source, temporary.open("xb") as copy:
                sha256, size = _copy(source, copy)
            # Also where that content is here already: it might be damaged, and its time must be renewed.
            _move(temporary, self._place("blobs", sha256))
        finally:
            _remove(temporary)
        return sha256, size

    def _write(self, path: Path, content: bytes) -> None:
        temporary = self._temporary()
        try:
            temporary.write_bytes(content)
            _move(temporary, path)
        finally:
            _remove(temporary)

    def _temporary(self) -> Path:
        folder = self.folder / "partial"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{os.getpid()}-{os.urandom(8).hex()}"

    def _record(self, key: str) -> dict[str, tuple[str, int]] | None:
        """The sha256 and size of each output of a job; None where there is no record or it is damaged."""
        record = _entry(self._job(key))
        try:
            return {name: (str(sha256), int(size)) for name, (sha256, size) in record.items()}  # type: ignore[attr-defined]
        except (AttributeError, TypeError, ValueError):
            return None

    def _report(self, key: str, path: Path, before: str, now: str) -> None:
        old = self._place("blobs", before)
        print(
            f"WARNING: NOT DETERMINISTIC: {path} differs from what the same job made before: the source, "
            f"the configuration and the inputs are equal, the output is not.\n"
            f"  before: {before} ({old if old.exists() else 'no longer stored'})\n"
            f"  now:    {now} (kept)\n"
            f"  Look for a global random generator, the clock, the order of a set or of files, a difference "
            f"between machines. Listed in {self.folder / 'conflicts.log'}.",
            file=sys.stderr,
            flush=True,
        )
        entry = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "host": os.uname().nodename,
            "job": key,
            "output": str(path),
            "before": before,
            "now": now,
        }
        with (self.folder / "conflicts.log").open("a", encoding="utf-8") as log:
            log.write(canonical.dumps(entry) + "\n")

    def _job(self, key: str) -> Path:
        return self._place("jobs", key)

    def _place(self, kind: str, digest: str) -> Path:
        return self.folder / kind / digest[:2] / digest[2:]

    def _files(self, kind: str) -> Iterator[tuple[Path, os.stat_result]]:
        """The files of one kind with their status, except those that vanish meanwhile."""
        for folder, _, names in os.walk(self.folder / kind):
            for name in names:
                path = Path(folder, name)
                try:
                    yield path, path.stat()
                except OSError:
                    continue


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        choices=["info", "check", "trim", "clear"],
        help="info: what the store holds; check: read it all and drop what is damaged; "
        "trim: reduce it to ASSAY_STORE_LIMIT; clear: empty it",
    )


def main(arguments: argparse.Namespace) -> int:
    """Run `assay store`; returns the exit code.

    Raises:
        ConfigError: `ASSAY_STORE` or `ASSAY_STORE_LIMIT` is not valid.
    """
    store = open_store(ROOT)
    limit = size_limit()
    if store is None:
        print("the store is switched off (ASSAY_STORE=off)")
        return 0
    if arguments.action == "info":
        usage = store.usage()
        print(f"store      {store.folder}")
        print(f"jobs       {usage.jobs}")
        print(f"contents   {usage.blobs}")
        print(f"size       {usage.size / UNITS['M']:.1f} MiB of {limit / UNITS['M']:.1f} MiB")
        print(f"conflicts  {store.conflicts()}")
        return 0
    if arguments.action == "check":
        damaged = store.check()
        print(f"{len(damaged)} damaged" if damaged else "nothing is damaged")
        return 1 if damaged else 0
    removed = store.trim(limit) if arguments.action == "trim" else store.clear()
    print(f"removed {removed.jobs} jobs and {removed.blobs} contents, {removed.size / UNITS['M']:.1f} MiB")
    return 0


def _copy(source: BinaryIO, target: BinaryIO) -> tuple[str, int]:
    """Copy one open file to another; returns the sha256 (hex) and the size of what was copied."""
    sha256 = hashlib.sha256()
    size = 0
    while chunk := source.read(CHUNK):
        sha256.update(chunk)
        target.write(chunk)
        size += len(chunk)
    return sha256.hexdigest(), size


def _move(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    source.replace(target)


def _sealed(value: object) -> bytes:
    """The text of an entry: canonical JSON, and below it its sha256."""
    text = canonical.dumps(value)
    return f"{text}\n{hashlib.sha256(text.encode()).hexdigest()}\n".encode()


def _entry(path: Path) -> object:
    """The JSON value of an entry, or None where there is none; one that is damaged is dropped.

    Older entries have no hash.
    """
    try:
        data = path.read_bytes()
    except OSError:
        return None
    text, newline, seal = data.partition(b"\n")
    try:
        value: object = canonical.loads(text)
    except ValueError:
        value = None
    if value is None or (newline and seal != hashlib.sha256(text).hexdigest().encode() + b"\n"):
        _drop(path)
        return None
    return value


def _drop(path: Path) -> None:
    """Remove a damaged file of the store, and say so."""
    print(f"note: {path} is damaged: dropped, to be made again", file=sys.stderr, flush=True)
    _remove(path)


def _used_now(path: Path) -> None:
    try:
        os.utime(path)
    except OSError:
        return


def _remove_all(paths: Iterable[Path]) -> None:
    for path in paths:
        _remove(path)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return
