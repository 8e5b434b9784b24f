"""Recordings as a log of Inspect AI, written by its own writer, to be read in Inspect View.

Every recording is executed again first, so the log shows calls and results that happened, with the score
of this version. Each sample keeps the lines of its recording, so `assay import` reads the log.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay import __version__
from assay.config.loading import suite_of
from assay.config.models import Config
from assay.doors.inspect_import import RECORDING
from assay.episode import Event
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import open_episode
from assay.episodes.identity import Identity
from assay.episodes.presentation import Picture, present, result_parts
from assay.errors import ConfigError, RecordingError
from assay.protocol import Brief, Result
from assay.sessions.assessment import assess
from assay.sessions.recording import read
from assay.sessions.rerun import judged
from assay.sessions.taskfiles import find_task

CREATED = "2025-01-01T00:00:00+00:00"
"""The time that a log states: recordings hold none, and equal recordings give equal logs."""

SCORER = "assay"


def write_log(config: Config, path: Path, recordings: Sequence[Path], out: Path) -> None:
    """Write recordings of one agent in one set as a log.

    Args:
        config: The configuration.
        path: The path of the configuration, for error messages.
        recordings: The recordings.
        out: The file of the log, `.eval` or `.json`.

    Raises:
        ConfigError: If the extra `models` is missing, or the recordings are of several agents or sets.
        RecordingError: If a recording does not replay.
    """
    try:
        from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSpec, write_eval_log
    except ImportError as problem:
        raise ConfigError(
            "the log needs the extra `models`", "install it: make setup EXTRAS=models"
        ) from problem
    identities = [Identity.of(each) for each in recordings]
    groups = {(each.agent, each.suite, each.task_set) for each in identities}
    if len(groups) != 1:
        raise ConfigError(
            f"a log holds recordings of one agent in one set, and these are of {len(groups)}",
            "write a log for each",
        )
    ((agent, suite, task_set),) = groups
    samples = [_sample(config, path, each) for each in recordings]
    log = EvalLog(
        status="success",
        eval=EvalSpec(
            created=CREATED,
            task=f"assay/{suite}_{task_set}".replace("-", "_"),
            dataset=EvalDataset(name=f"{suite} {task_set}", samples=len(samples)),
            model=f"assay/{agent}",
            config=EvalConfig(),
            packages={"assay": __version__},
        ),
        samples=samples,
    )
    write_eval_log(log, str(out))


def _sample(config: Config, path: Path, file: Path) -> Any:
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser, ModelOutput
    from inspect_ai.scorer import Score

    identity = Identity.of(file)
    entry = suite_of(config, identity.suite, path)
    blobs = MemoryBlobs()
    task = find_task(entry, f"{identity.task_set}/{identity.task_id}", blobs)
    materials = materials_for(entry.suite, blobs)
    report, episode = judged(entry.suite, task, file, materials)
    if report["verdict"] != "identical":
        raise RecordingError(
            f"{file} is {report['verdict']}: {report['reason']}", "export recordings that replay"
        )
    assessment = assess(entry.suite, task, episode, materials)
    with open_episode(entry.suite, task, identity.agent, identity.attempt, materials) as opened:
        brief: Brief = opened.harness.brief

    def texts(parts: Sequence[Any]) -> str:
        shown = present(list(parts), lambda ref: materials.blobs.get(ref.sha256))
        return "\n\n".join("[a picture]" if isinstance(item, Picture) else item for item in shown)

    messages: list[Any] = [
        ChatMessageSystem(content=brief.system),
        ChatMessageUser(content=texts(brief.parts)),
    ]
    recording = read(file)
    replies = {line["n"]: line["reply"].get("text", "") for line in recording.turns}
    spoken = ""
    for line in recording.lines:
        if line["kind"] == "turn":
            spoken = replies[line["n"]]
        elif line["event"]["kind"] == "call":
            event = next(each for each in episode.events if each.step == line["event"]["step"])
            messages += _exchange(event, spoken, texts)
            spoken = ""
    lines = [recording.header, *recording.lines, recording.end]
    return EvalSample(
        id=identity.task_id,
        epoch=identity.attempt + 1,
        input=[messages[0], messages[1]],
        target="",
        messages=messages,
        output=ModelOutput(model=f"assay/{identity.agent}"),
        scores={
            SCORER: Score(
                value=float("nan") if assessment.score is None else float(assessment.score),
                metadata={"metrics": assessment.metrics, "flags": assessment.raised},
            )
        },
        metadata={"suite": identity.suite, "task_set": identity.task_set, **dict(task.strata)},
        store={RECORDING: [dict(line) for line in lines if line is not None]},
    )


def _exchange(event: Event, spoken: str, texts: Any) -> list[Any]:
    """Return a call of the agent and its result as two messages.

    Args:
        event: The call, as the recording has it.
        spoken: What the agent wrote before the call.
        texts: The texts that the recording names by their hash.
    """
    from inspect_ai.model import ChatMessageAssistant, ChatMessageTool
    from inspect_ai.tool import ToolCall, ToolCallError

    name = f"step-{event.step}"
    arguments = event.arguments if isinstance(event.arguments, dict) else {"arguments": event.arguments}
    result = Result(ok=event.ok, parts=tuple(event.parts), error=event.error, ended=event.ended)
    failed = None if event.ok else ToolCallError("unknown", event.error or "refused")
    return [
        ChatMessageAssistant(
            content=spoken,
            tool_calls=[ToolCall(id=name, function=event.tool, arguments=json.loads(json.dumps(arguments)))],
        ),
        ChatMessageTool(
            content=texts(result_parts(result)), tool_call_id=name, function=event.tool, error=failed
        ),
    ]
