"""Atomic writing of files."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from assay.errors import WriteError


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file completely or not at all, and create its folder.

    Args:
        path: The file.
        content: Bytes, or text that is written as UTF-8.

    Raises:
        WriteError: If the file cannot be written; an existing file is then unchanged.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)
        temporary.replace(path)
    except OSError as problem:
        raise WriteError(
            f"{path} could not be written ({problem.strerror})",
            f"make room, make {path.parent} a folder that can be written to, then run again",
        ) from problem
    finally:
        with suppress(OSError):
            temporary.unlink()
