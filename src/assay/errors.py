"""Exceptions for mistakes of users and failures of the machine, one class for each kind.

Whatever a user can get wrong raises an `AssayError`. The command line prints it as two lines, `error:` and
`remedy:`, and exits with the code of the class. A traceback means a defect of Assay.
"""

from __future__ import annotations


class AssayError(Exception):
    """A mistake that the reader of the message can correct.

    Attributes:
        message: What is wrong, with file and place.
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
    """A suite, set, task, agent, room or tool of that name does not exist."""


class TaskError(AssayError):
    """A task cannot be generated, or a frozen one is not what its generator makes."""


class TableError(AssayError):
    """A table breaks its declared schema, or its file is corrupted or truncated."""


class RecordingError(AssayError):
    """A recording is damaged, forged, or does not belong to its task."""


class SourceError(AssayError):
    """A job loaded source that its stage does not declare, or a room cannot be analysed."""


class WriteError(AssayError):
    """An output could not be written: a full disk, a read-only folder."""


class PlatformError(AssayError):
    """This machine cannot run Assay."""


class SandboxError(AssayError):
    """Untrusted code cannot be run here as safely as is asked, or the sandbox does not start."""


class NotBuilt(AssayError):
    """Something was asked for that has not been built yet."""

    exit_code = 2


class Busy(AssayError):
    """Another run, or a job of one that was killed, is at work in this checkout."""

    exit_code = 75

    def __init__(self, worker: str, ids: str, way_to_end: str = "kill") -> None:
        super().__init__(
            f"{worker} is at work in this checkout ({ids})",
            f"wait until it has ended, or end it with {way_to_end}, and start again",
        )
