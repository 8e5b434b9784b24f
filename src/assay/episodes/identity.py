"""The identity of a recorded session, and the path of its file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from assay.errors import RecordingError

FILE_NAME = re.compile(r"(?P<task>.+)\.(?P<attempt>0|[1-9][0-9]{0,8})\.jsonl")


@dataclass(frozen=True)
class Identity:
    """The agent, task and attempt of a recorded session, from which the path of its file is made.

    Example:
        >>> Identity.of(Path("recordings/smollm2/petri/core-v0/swarm-1.0.jsonl")).name
        'petri/core-v0/swarm-1 attempt 0'
    """

    agent: str
    suite: str
    task_set: str
    task_id: str
    attempt: int

    @property
    def name(self) -> str:
        """The name of the session in messages: task and attempt."""
        return f"{self.suite}/{self.task_set}/{self.task_id} attempt {self.attempt}"

    def path(self, root: Path) -> Path:
        """Return the path of the session's file in a folder of recordings."""
        name = f"{self.task_id}.{self.attempt}.jsonl"
        return root / self.agent / self.suite / self.task_set / name

    @classmethod
    def of(cls, path: Path) -> Identity:
        """Return the identity that the last four parts of a path contain.

        Raises:
            RecordingError: If they do not have the form <agent>/<suite>/<set>/<task>.<attempt>.jsonl.
        """
        name = FILE_NAME.fullmatch(path.name)
        folders = path.absolute().parts[1:][-4:-1]  # without the root
        if name is None or len(folders) < 3:
            raise RecordingError(
                f"{path} does not have the name of a recording",
                "a recording lies at <agent>/<suite>/<set>/<task>.<attempt>.jsonl; move the file there",
            )
        agent, suite, task_set = folders
        return cls(agent, suite, task_set, name["task"], int(name["attempt"]))
