"""Artefacts: expensive work that several jobs share, made by a rule of the workflow or when it is needed."""

from __future__ import annotations

import shutil
import tempfile
import threading
import weakref
from collections.abc import Iterable
from pathlib import Path

from assay import canonical
from assay.protocol import Blobs, Key, Materials
from assay.suite import Suite


def digest(key: Key) -> str:
    """Return the name of an artefact's file, the sha256 (hex) of the key's canonical JSON form."""
    return canonical.digest([key.suite, key.kind, key.params, key.shard])


class KeyedArtefacts:
    """The artefacts of one job.

    An artefact that no rule has made is made by the suite's room `artefacts` when it is requested, and is
    deleted with this object.

    Args:
        suite: The suite.
        files: The files that rules have made, named by the digests of their keys.
        blobs: Contents by hash, which the room may read.
    """

    def __init__(self, suite: Suite, files: Iterable[Path], blobs: Blobs) -> None:
        self._suite = suite
        self._files = {file.name: file for file in files}
        self._blobs = blobs
        self._folder: Path | None = None
        # Models play episodes in parallel threads. The lock is reentrant, because making one artefact may
        # require another one.
        self._making = threading.RLock()

    def get(self, key: Key) -> Path:
        """Return the file of an artefact, and make it first if it is missing."""
        name = digest(key)
        with self._making:
            if name not in self._files:
                if self._folder is None:
                    self._folder = Path(tempfile.mkdtemp(prefix="assay-artefacts-"))
                    # A TemporaryDirectory would warn that it was not closed.
                    weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
                path = self._folder / name
                self._suite.room("artefacts").make(key, Materials(self._blobs, self), path)
                self._files[name] = path
            return self._files[name]


def materials_for(suite: Suite, blobs: Blobs) -> Materials:
    """Return materials for use outside of the workflow, with artefacts that are made when they are needed."""
    return Materials(blobs, KeyedArtefacts(suite, (), blobs))
