"""Files written whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from assay.errors import WriteError


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file, text in UTF-8, whole or not at all; `WriteError` where it cannot be written."""
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
