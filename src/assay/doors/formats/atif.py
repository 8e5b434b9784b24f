"""Recordings as trajectories of ATIF, the Agent Trajectory Interchange Format, and back.

A reply of a model and the calls that follow it are one step of the agent; a call of a program without
replies is a step of its own, without an inference. Fields of a recording that ATIF does not have stand in
`extra.assay` of the object that they belong to. A trajectory that was not edited gives back the recording,
byte for byte, and one whose visible text was edited is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay import __version__, canonical
from assay.errors import RecordingError
from assay.sessions.recording import Recording

VERSION = "ATIF-v1.8"
"""The version of the format that is written; every version 1 is read."""

KEY = "assay"
"""The key of `extra` with the fields that ATIF does not have."""

RESULT = ("parts", "ok", "error")
"""The fields of an event that belong to the result of a call; the others belong to the call."""


def to_atif(recording: Recording, prompts: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
    """Return a finished recording as a trajectory.

    Args:
        recording: The recording.
        prompts: What the agent was told before its first call, as pairs of source (`system` or `user`) and
            text. A recording holds only the hash of it.

    Raises:
        RecordingError: If the recording is not finished.
    """
    header, end = recording.header, recording.end
    if header is None or end is None:
        raise RecordingError("the recording is not finished", "finish it: run `assay record` again")
    steps: list[dict[str, Any]] = [{"source": source, "message": text} for source, text in prompts]
    for lines in _steps(recording.lines):
        steps.append(_step(lines))
    if not steps:
        steps.append({"source": "system", "message": "The agent made no call."})
    for number, step in enumerate(steps):
        step["step_id"] = number + 1
    model = header["model"] or {}
    transport = model.get("transport", {})
    name = transport.get("model") or transport.get("name")
    return {
        "schema_version": VERSION,
        "session_id": "/".join(str(header[k]) for k in ("agent", "suite", "task_set", "task_id", "attempt")),
        "agent": {
            "name": header["agent"],
            "version": __version__,
            **({"model_name": name} if isinstance(name, str) else {}),
            "extra": {KEY: {"header": dict(header)}},
        },
        "steps": steps,
        "final_metrics": {
            "total_steps": len(steps),
            **_given(total_prompt_tokens=end["tokens_in"], total_completion_tokens=end["tokens_out"]),
        },
        "extra": {KEY: {"end": dict(end)}},
    }


def from_atif(trajectory: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the lines of the recording that a trajectory was made from, without their chain.

    Raises:
        RecordingError: If the trajectory was not made from a recording, or was edited.
    """
    version = trajectory.get("schema_version")
    if not isinstance(version, str) or not version.startswith("ATIF-v1."):
        raise RecordingError(f"{version!r} is no version of ATIF", "give a trajectory of version 1")
    try:
        header = dict(trajectory["agent"]["extra"][KEY]["header"])
        end = dict(trajectory["extra"][KEY]["end"])
        lines = [header]
        for step in trajectory["steps"]:
            if step["source"] == "agent":
                lines += _lines(step)
        if header["agent"] != trajectory["agent"]["name"]:
            raise _edited("agent.name")
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        raise RecordingError(
            f"the trajectory was not made from a recording of Assay (it has no {problem})",
            "only such trajectories can be executed again",
        ) from problem
    return [*lines, end]


def _steps(lines: Iterable[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Group the lines: a turn with the events that follow it; each event before the first turn alone."""
    groups: list[list[Mapping[str, Any]]] = []
    for line in lines:
        if line["kind"] == "turn" or not groups or groups[-1][0]["kind"] != "turn":
            groups.append([line])
        else:
            groups[-1].append(line)
    return groups


def _step(lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    turn = lines[0] if lines[0]["kind"] == "turn" else None
    events = [line["event"] for line in lines if line["kind"] == "event"]
    step: dict[str, Any] = {"source": "agent", "message": "", "llm_call_count": 0}
    if turn is not None:
        reply = turn["reply"]
        step["message"] = str(reply.get("text", ""))
        step["llm_call_count"] = 1
        usage = turn["usage"]
        step["metrics"] = {
            "prompt_tokens": usage["tokens_in"],
            "completion_tokens": usage["tokens_out"],
        }
        rest = {key: value for key, value in turn.items() if key not in ("kind", "usage", "reply")}
        step["extra"] = {KEY: {**rest, "reply": {k: v for k, v in reply.items() if k != "text"}}}
    if events:
        step["tool_calls"] = [_call(event) for event in events]
        step["observation"] = {"results": [_result(event) for event in events]}
    return step


def _call(event: Mapping[str, Any]) -> dict[str, Any]:
    arguments = event["arguments"]
    rest = {k: v for k, v in event.items() if k not in (*RESULT, "tool", "arguments")}
    if not isinstance(arguments, dict):  # a refused call may have arguments of any type
        rest["arguments"] = arguments
    return {
        "tool_call_id": f"step-{event['step']}",
        "function_name": event["tool"],
        "arguments": arguments if isinstance(arguments, dict) else {},
        "extra": {KEY: rest},
    }


def _result(event: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "source_call_id": f"step-{event['step']}",
        "content": _text(event["parts"], event["error"]),
        "extra": {KEY: {key: event[key] for key in RESULT}},
    }


def _text(parts: Sequence[Any], error: str | None) -> str:
    """Return a result as text: why a call was refused, or its parts as `encode_parts` writes them."""
    return error if error is not None else "\n".join(canonical.dumps(part) for part in parts)


def _lines(step: Mapping[str, Any]) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    if step["llm_call_count"]:
        kept = step["extra"][KEY]
        metrics = step["metrics"]
        lines.append(
            {
                "kind": "turn",
                **{key: value for key, value in kept.items() if key != "reply"},
                "reply": {"text": step["message"], **kept["reply"]},
                "usage": {
                    "tokens_in": metrics["prompt_tokens"],
                    "tokens_out": metrics["completion_tokens"],
                },
            }
        )
    calls = step.get("tool_calls") or []
    results = (step.get("observation") or {"results": []})["results"]
    for call, result in zip(calls, results, strict=True):
        event = {
            "tool": call["function_name"],
            "arguments": call["arguments"],
            **call["extra"][KEY],
            **result["extra"][KEY],
        }
        if result["content"] != _text(event["parts"], event["error"]):
            raise _edited(f"the result of {call['tool_call_id']}")
        lines.append({"kind": "event", "event": event})
    return lines


def _edited(place: str) -> RecordingError:
    return RecordingError(
        f"the trajectory was edited: {place} is not what the recording says", "export the recording again"
    )


def _given(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
