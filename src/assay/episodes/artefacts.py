"""Shared expensive work by key: made by a rule where one lists it, on the spot where none did."""

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
    """The name of a key's file: sha256 (hex) of its canonical JSON form."""
    return canonical.digest([key.suite, key.kind, key.params, key.shard])


class KeyedArtefacts:
    """The artefacts of one job: `files` are those that rules made before, named by the digests of their keys.

    What is missing is made by the suite's room `artefacts`, and goes with this object.
    """

    def __init__(self, suite: Suite, files: Iterable[Path], blobs: Blobs) -> None:
        self._suite = suite
        self._files = {file.name: file for file in files}
        self._blobs = blobs
        self._folder: Path | None = None
        # Episodes of models are played side by side; what one makes may need what another kind makes.
        self._making = threading.RLock()

    def get(self, key: Key) -> Path:
        """The file of that key."""
        name = digest(key)
        with self._making:
            if name not in self._files:
                if self._folder is None:
                    self._folder = Path(tempfile.mkdtemp(prefix="assay-artefacts-"))
                    # A TemporaryDirectory would warn that nobody closed it.
                    weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
                path = self._folder / name
                self._suite.room("artefacts").make(key, Materials(self._blobs, self), path)
                self._files[name] = path
            return self._files[name]


def materials_for(suite: Suite, blobs: Blobs) -> Materials:
    """What the rooms of a suite draw on outside of the workflow: artefacts are made where they are needed."""
    return Materials(blobs, KeyedArtefacts(suite, (), blobs))
