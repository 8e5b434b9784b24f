"""Limits of a box."""

from __future__ import annotations

from dataclasses import dataclass, fields

from assay.errors import ConfigError

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Limits of one box; each is greater than zero. A box is always one process with one thread.

    Attributes:
        wall: Seconds of a block, without the time in which tools answer; then it is interrupted.
        grace: Seconds after the interrupt until the interpreter is killed.
        cpu: Seconds of processor time of a block.
        calls: Calls of tools in a block.
        output: Bytes that a block prints.
        message: Bytes of a single message, at least 65,536.
        traffic: Bytes of all messages of a block.
        memory: Bytes of memory of the box, beyond what its libraries take.
        disk: Bytes in the folder of the box.
        files: Entries in the folder of the box.
        file_size: Bytes of one file.
        open_files: Number of open files.
    """

    wall: float = 20.0
    grace: float = 0.5
    cpu: float = 30.0
    calls: int = 1000
    output: int = MEGABYTE
    message: int = MEGABYTE
    traffic: int = 16 * MEGABYTE
    memory: int = 512 * MEGABYTE
    disk: int = 64 * MEGABYTE
    files: int = 1000
    file_size: int = 16 * MEGABYTE
    open_files: int = 64

    def __post_init__(self) -> None:
        for field in fields(self):
            if not getattr(self, field.name) > 0:
                raise ConfigError(
                    f"a sandbox limit is {field.name} = {getattr(self, field.name)}",
                    "give it a value above zero",
                )
        if self.message < 1 << 16:
            raise ConfigError(
                f"a sandbox limit is message = {self.message}",
                "what a box must say needs 65536 bytes at least",
            )
