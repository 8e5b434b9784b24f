"""The folder of one episode, to which only tools write."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from assay.protocol import BlobRef, Blobs


class TemporaryWorkspace:
    """A temporary folder, created at the first access to `path` and deleted at the end of the `with`
    block."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._seen: dict[str, str] = {}

    @property
    def path(self) -> Path:
        """The folder, which is created at the first access."""
        if self._path is None:
            self._path = Path(tempfile.mkdtemp(prefix="assay-workspace-"))
        return self._path

    def changes(self, blobs: Blobs) -> Iterator[tuple[str, BlobRef]]:
        """Yield files that are new or changed since the last call: relative path and content, in order of
        path.

        Symbolic links are ignored, because they could lead out of the folder.
        """
        if self._path is None:
            return
        for path in sorted(self._path.rglob("*")):
            if path.is_symlink() or not path.is_file():
                continue
            data = path.read_bytes()
            name = path.relative_to(self._path).as_posix()
            sha256 = hashlib.sha256(data).hexdigest()
            if self._seen.get(name) != sha256:
                self._seen[name] = sha256
                yield name, blobs.put(data, "application/octet-stream")

    def __enter__(self) -> TemporaryWorkspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._path is not None:
            shutil.rmtree(self._path, ignore_errors=True)
