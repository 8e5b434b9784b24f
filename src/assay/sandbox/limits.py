"""What a box may use."""

from __future__ import annotations

from dataclasses import dataclass, fields

from assay.errors import ConfigError

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Limits of one box; each is greater than zero. A box is one process with one thread, always.

    Of one block: `wall` seconds (the time in which a tool answers does not count), `cpu` seconds, `calls` of
    tools, `output` bytes printed, `traffic` bytes of all messages. Of the box: `memory` bytes beyond what the
    libraries take, `disk` bytes and `files` entries in its folder, `file_size` bytes of one file,
    `open_files`. `message` is the largest single message in bytes. After `wall` a block is interrupted; one
    that does not end within `grace` seconds loses its interpreter.
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
