"""Limits of a box."""

from __future__ import annotations

from dataclasses import dataclass, fields

from assay.errors import ConfigError

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Limits of one box, which is always one process with one thread. All are greater than zero.

    Attributes:
        wall: Wall time of a block in seconds, after which it is interrupted. The time in which tools answer
            does not count, except with `Policy.tools_count`.
        grace: Time in seconds between the interrupt and the end of the interpreter, which is then killed.
        cpu: Processor time of a block in seconds.
        calls: Number of calls of tools in a block.
        output: Number of bytes that a block prints.
        message: Size of a single message in bytes, at least 65,536.
        traffic: Size of all messages from the box during a block in bytes.
        memory: Address space of the box in bytes, in addition to that of its libraries.
        disk: Size of the box's folder in bytes.
        files: Number of entries in the box's folder.
        file_size: Size of one file in bytes.
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
