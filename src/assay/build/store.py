"""The content store: a job that was done before is not run again; its outputs are copied from the store.

    <store>/jobs/ab/cdef...     outputs of the job with this key: output name -> [sha256, size], as JSON
    <store>/blobs/ab/cdef...    contents, by their sha256
    <store>/signatures/ab/...   signatures of jobs, where there is a secret (`assay.build.upstream`)
    <store>/digests/ab/cdef...  the sha256 of large input files, by path and file status, as JSON
    <store>/partial/            files that are being written
    <store>/conflicts.log       outputs that differ from those of an equal earlier job

The key of a job covers all that its outputs can depend on: the fingerprint of its source, its configuration,
the paths and digests of its inputs, and the names of its outputs. Contents are copied and never linked,
because Snakemake touches outputs and people edit them. They are hashed while they are copied, so that a
damaged one is detected, reported and removed, and the job runs again. For the same purpose, each JSON entry
is followed by a line with its sha256. A failure of the store counts as a miss and never fails a job.

With `ASSAY_STORE_UPSTREAM`, a job that this store lacks is taken from a shared one (`assay.build.upstream`).

Each file is written under a temporary name and then renamed, so that two runs, also on two machines, can
share a store. The store can be emptied at any time. `ASSAY_STORE` sets its folder (default: `.store` in the
checkout) or switches it off (`off`). `ASSAY_STORE_LIMIT` is the size to which `trim` reduces it (default:
20G).
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
from assay.build.upstream import Upstream, record_of, secret, signature
from assay.errors import ConfigError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping, Sequence

ROOT = Path(__file__).resolve().parents[3]
"""The checkout that this module belongs to."""

FROZEN_VIEW = "results/.frozen/"
"""The folder of the files that show several agents and are made a second time for the frozen agents alone.

Within it, a file has the same path as in the checkout, e.g. `results/.frozen/reports/index.html`. The keys of
jobs leave this folder out, so that equal jobs in both places have the same key. No suite can have this name.
"""

DEFAULT = ".store"
DEFAULT_LIMIT = "20G"
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

CHUNK = 1 << 20
SMALL = 1 << 16
"""Below this size in bytes, hashing a file is as fast as looking up its digest."""

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})

SETTLED = 2.0
"""Seconds after a write beyond which another write is sure to change the time stamps of a file."""

ABANDONED = 86400.0
"""Seconds after which a half-written file is assumed to be left by a process that has died."""


class Usage(NamedTuple):
    """The number of finished jobs and of contents in a store, and the size of all its files in bytes."""

    jobs: int
    blobs: int
    size: int


def open_store(root_dir: Path) -> Store | None:
    """Return the store of a checkout, or `None` if `ASSAY_STORE=off`. No folder is created yet.

    Args:
        root_dir: The checkout; a relative path in `ASSAY_STORE` is relative to it.

    Raises:
        ConfigError: If `ASSAY_STORE` names something that is not a folder.
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
    return Store(folder, Upstream.of_environment(), secret())


def size_limit() -> int:
    """Return the limit `ASSAY_STORE_LIMIT` in bytes.

    Raises:
        ConfigError: If it is not a size.
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
    """Return the key (sha256, hex) of a job. Jobs with equal keys have equal outputs.

    Args:
        fingerprint: The fingerprint of the source that the job can reach.
        config: The configuration of the job as canonical JSON text.
        inputs: For each input, the path as given and the sha256 of every file.
        outputs: For each output, its file name without the folder, since some formats contain the name of
            their own file.
    """
    return canonical.digest([fingerprint, config, inputs, outputs])


class Store:
    """A content store in a folder, which need not exist yet.

    Args:
        folder: The folder.
        upstream: A shared store, asked for jobs that this one lacks.
        secret: What jobs are signed with; empty for no signatures.
    """

    def __init__(self, folder: Path, upstream: Upstream | None = None, secret: bytes = b"") -> None:
        self.folder = folder
        self.upstream = upstream
        self.secret = secret

    def restore(self, key: str, targets: Mapping[str, Path]) -> dict[str, str] | None:
        """Copy the outputs of a job to the targets.

        Args:
            key: The key of the job (`job_key`).
            targets: The path to which each output is written; these files must not exist.

        Returns:
            The sha256 (hex) of each output, or `None` for a miss. A miss leaves no target behind.

        Raises:
            OSError: If the disk of the targets is full or read-only, because then the job itself would fail.
        """
        restored = self._restore(key, targets)
        if restored is None and self.upstream is not None:
            try:
                restored = self.upstream.restore(key, targets)
            except OSError as problem:
                _remove_all(targets.values())
                if problem.errno in NO_ROOM:
                    raise
            if restored is not None:
                self.keep(key, targets)
        return restored

    def _restore(self, key: str, targets: Mapping[str, Path]) -> dict[str, str] | None:
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
        """Store copies of the outputs of a finished job.

        If an equal job wrote other bytes before, the job is not deterministic. This is printed as a warning
        and written to `conflicts.log`, and the new outputs replace the old ones.
        """
        try:
            record = {name: self._keep_blob(path) for name, path in outputs.items()}
            before = self._record(key) or {}
            sealed = _sealed(record)
            self._write(self._job(key), sealed)
            if self.secret:
                self._write(self._place("signatures", key), signature(self.secret, key, sealed))
            for name, (sha256, _) in record.items():
                if name in before and before[name][0] != sha256:
                    self._report(key, outputs[name], before[name][0], sha256)
        except OSError:
            return

    def digest(self, path: Path) -> str:
        """Return the sha256 (hex) of a file. For large files it is cached by path, size, times and inode."""
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
            # A second write within one tick of the file system's clock would leave the times unchanged, so
            # the digest of a file that was written just now is not cached.
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

        It is meant for the end of a run. Other runs that use the store meanwhile have misses.

        Returns:
            The number of removed jobs and contents, and the size of all removed files.
        """
        for path, status in self._files("partial"):
            if time.time() - status.st_mtime > ABANDONED:
                _remove(path)
        entries = [
            (status, kind, path)
            for kind in ("jobs", "blobs", "digests", "signatures")
            for path, status in self._files(kind)
        ]
        entries.sort(key=lambda entry: (entry[0].st_mtime_ns, entry[2]))
        size = sum(status.st_size for status, _, _ in entries)
        removed = {"jobs": 0, "blobs": 0, "digests": 0, "signatures": 0}
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
        """Read every entry and remove the damaged ones; returns their paths."""
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
        """Return the number of logged outputs that differed from those of an equal earlier job."""
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
            # This also replaces an existing copy, which might be damaged, and renews its time.
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
        """Return the sha256 and size of each output of a job, or `None` if there is no valid record."""
        return record_of(_entry(self._job(key)))

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
        """Yield the files of one kind with their status; files that another process removes are skipped."""
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
    """Run `assay store`.

    Returns:
        The exit code: 1 if `check` found damaged entries, else 0.

    Raises:
        ConfigError: If `ASSAY_STORE` or `ASSAY_STORE_LIMIT` is not valid.
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
    """Copy one open file to another; returns the sha256 (hex) and the size in bytes of what was copied."""
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
    """Return the bytes of an entry: a line of canonical JSON and a line with its sha256 (hex)."""
    text = canonical.dumps(value)
    return f"{text}\n{hashlib.sha256(text.encode()).hexdigest()}\n".encode()


def _entry(path: Path) -> object:
    """Return the JSON value of an entry, or `None` if there is no valid entry; a damaged one is removed.

    Entries of older versions have no hash and are accepted.
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
    """Remove a damaged file of the store and print a note."""
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
