"""Play runs of the paper's harness again in our embodied laboratory.

The agent's replies are written, one after another, in our embodied laboratory. A run is accepted if our
laboratory shows the same numbers at every step, to the cent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.episode import Episode
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Json, Part, Result
from assay.suite import suite
from assay.suites.causalab.dsl import extract
from assay.suites.causalab.model.scm import Model
from assay.suites.causalab.original.reading import BadLog, Run, Screen, screen_of
from assay.suites.causalab.original.tasks import REMEDY
from assay.suites.causalab.simulation.conditions import Setup
from assay.suites.causalab.simulation.embodied import MANIPULATOR, REACTOR, as_integer
from assay.suites.causalab.transcript import transcript_of
from assay.task import Task


@dataclass
class _Writer:
    """An agent that writes given replies; `shown` is what the world showed before and after each."""

    texts: Sequence[str]
    shown: list[Json] = field(default_factory=list)

    def act(self, brief: Brief, call: Call, stream: Stream) -> None:
        """Write all replies, until the episode is over."""
        self.shown.append(None)
        replies(self.texts, lambda text: self._write(call, text))

    def _write(self, call: Call, text: str) -> Result:
        result = call("record", {"text": text})
        if result.ok:
            self.shown.append(_dialog(result.parts))
        return result


def replies(texts: Sequence[str], write: Callable[[str], Result]) -> None:
    """Write the replies of a run until its episode is over; the questions at the end were not asked there."""
    for text in texts:
        result = write(text)
        if not result.ok or any(isinstance(part, dict) and "question" in part for part in result.parts):
            return


def _dialog(parts: Sequence[Part]) -> Json:
    """Return the dialog box that a result of our laboratory shows, or None if no dialog is open."""
    outcomes = [part for part in parts if isinstance(part, dict) and "success" in part]
    return outcomes[0].get("dialog_box") if outcomes else None


def replay(run: Run, task: Task) -> Episode:
    """Write the replies of a run in our laboratory, and compare what both show at every step.

    Raises:
        BadLog: Our laboratory shows something else; the message names the step.
    """
    writer, causalab = _Writer(texts_of(run)), suite("causalab")
    episode = play(causalab, task, "logged", writer, 0, materials_for(causalab, MemoryBlobs()))
    ours = [_screen(box, run.model) for box in writer.shown]
    # A row of the tracking file shows what the agent saw before its action, or what came of it.
    before, after = (_difference(run, ours, shift) for shift in (0, 1))
    if before is not None and after is not None:
        raise BadLog(before, REMEDY)
    completed = transcript_of(Setup(task), episode).completed
    if run.completed is not None and run.completed != completed:
        words = {True: "activated", False: "not activated"}
        raise BadLog(
            f"{run.folder}: the run says that the reactor was {words[run.completed]}; "
            f"in our laboratory it was {words[completed]}",
            REMEDY,
        )
    return episode


def _screen(box: Json, model: Model) -> Screen:
    return screen_of(str(box.get("dialogIn", "")) if isinstance(box, dict) else "", model)


def _difference(run: Run, ours: Sequence[Screen], shift: int) -> str | None:
    """Return where the numbers on a logged screen first differ from ours, or None if all agree.

    Row n of the tracking file is compared with our screen after n + `shift` replies.
    """
    for n, theirs in enumerate(run.screens):
        if n + shift >= len(ours):
            return None
        for name in ("uses", "values", "reactor"):
            logged, shown = getattr(theirs, name), getattr(ours[n + shift], name)
            if logged != shown:
                return f"{run.place(n)}: {name}: {logged}; in our laboratory {shown}"
    return None


def texts_of(run: Run) -> list[str]:
    """Return the replies of a run with the uuids of our devices in place of theirs.

    A device is known by the screen that follows when the agent talks to it. Other replies stay as they are.
    """
    devices: dict[int, int] = {}
    for n, action in enumerate(run.actions):
        uuid = as_integer(action.get("arg1"))
        if action.get("action") == "TALK" and uuid is not None:
            for screen in run.screens[n : n + 2]:
                if screen.uses is not None or screen.reactor:
                    devices.setdefault(uuid, REACTOR if screen.reactor else MANIPULATOR)
    return [_rewritten(text, action, devices) for text, action in zip(run.texts, run.actions, strict=True)]


def _rewritten(text: str, action: Mapping[str, Any], devices: Mapping[int, int]) -> str:
    changed = {}
    for name in ("arg1", "arg2"):
        uuid = as_integer(action.get(name))
        if uuid is not None and devices.get(uuid, uuid) != uuid:
            changed[name] = devices[uuid]
    inner = extract(text)
    return text if not changed or inner is None else json.dumps({**json.loads(inner), **changed})
