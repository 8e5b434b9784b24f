"""Exceptions for mistakes of users and failures of the machine, one class for each kind.

Whatever a user can get wrong raises an `AssayError`. The command line prints it as two lines, `error:` and
`remedy:`, and exits with the code of the class. A traceback means a defect of Assay.
"""

from __future__ import annotations


class AssayError(Exception):
    """A mistake that the reader of the message can correct.

    Attributes:
        message: What is wrong, with the file and the place in it.
        remedy: What to do about it.
        exit_code: The code with which a command exits.
    """

    exit_code = 1

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"error: {self.message}\nremedy: {self.remedy}"

    def __reduce__(self) -> tuple[type[AssayError], tuple[str, str]]:
        return type(self), (self.message, self.remedy)


class ConfigError(AssayError):
    """A configuration file is malformed or asks for something that does not exist."""


class UnknownName(AssayError):
    """A suite, set, task, agent, room or tool with a given name does not exist."""


class TaskError(AssayError):
    """A task cannot be generated, or a frozen task differs from what its generator makes."""


class TableError(AssayError):
    """A table breaks its declared schema, or its file is corrupted or truncated."""


class RecordingError(AssayError):
    """A recording is damaged, forged, or does not belong to its task."""


class SourceError(AssayError):
    """A job loaded source code that its stage does not declare, or source code cannot be analysed."""


class WriteError(AssayError):
    """An output could not be written, for example because the disk is full or the folder is read-only."""


class PlatformError(AssayError):
    """This machine cannot run Assay."""


class SandboxError(AssayError):
    """Untrusted code cannot be run here as safely as requested, or the sandbox does not start."""


class NotBuilt(AssayError):
    """A result was requested that has not been built yet."""

    exit_code = 2


class Busy(AssayError):
    """Another run is active in this checkout, or a job that a killed run has left behind."""

    exit_code = 75

    def __init__(self, worker: str, ids: str, way_to_end: str = "kill") -> None:
        super().__init__(
            f"{worker} is at work in this checkout ({ids})",
            f"wait until it has ended, or end it with {way_to_end}, and start again",
        )
