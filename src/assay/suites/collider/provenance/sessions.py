"""The normalised trace of a run (`session.jsonl`), and its usage: calls, events, tokens and dollars.

Each line is a JSON object: `{t, seq, role, kind, tool, args, exit_code, stdout_sha256, stdout_head,
stderr_head, tokens}`, for every kind of agent. `t` is null, because results must not depend on a clock.
Outputs are cut off after `HEAD` characters, and identified by their hash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay import canonical
from assay.episode import Episode, Event, encode_parts
from assay.errors import WriteError
from assay.protocol import Blobs
from assay.suites.collider.formats import documents
from assay.suites.collider.provenance.runs import INFO, LEDGER, WORKSPACE, of_episode, write_files

DATA_FILES = ("../data/prices.yaml",)

HEAD = 400
"""Number of characters of an output that the trace holds."""


def trace(episode: Episode) -> Iterator[dict[str, Any]]:
    """Yield the lines of an episode's trace: each call and its result, the tokens used, and the end."""
    seq = 0

    def line(role: str, kind: str, **more: Any) -> dict[str, Any]:
        nonlocal seq
        empty = dict.fromkeys(
            ("tool", "args", "exit_code", "stdout_sha256", "stdout_head", "stderr_head", "tokens")
        )
        seq += 1
        return {"t": None, "seq": seq - 1, "role": role, "kind": kind, **empty, **more}

    for event in episode.events:
        if event.kind in ("call", "code"):
            yield line("agent", "tool_call", tool=event.tool, args=event.arguments)
            yield line("tool", "tool_result", tool=event.tool, **_output(event))
    used = {"input": episode.tokens_in, "output": episode.tokens_out}
    yield line("harness", "usage", tokens=used)
    yield line("harness", "end", stdout_head=f"{episode.status}: {episode.reason}".rstrip(": "))


def _output(event: Event) -> dict[str, Any]:
    text = canonical.dumps(encode_parts(event.parts))
    return {
        "exit_code": int(not event.ok),
        "stdout_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "stdout_head": text[:HEAD],
        "stderr_head": (event.error or "")[:HEAD],
    }


@dataclass(frozen=True)
class Price:
    """The price of a million tokens of input, output and cached input, in dollars, from a day on."""

    model: str
    since: str
    input: float
    output: float
    cached: float


PRICES = tuple(Price(**entry) for entry in documents.packaged("prices.yaml"))

LAST = "9999-12-31"
"""A day after that of every price."""


@dataclass(frozen=True)
class Cost:
    """The cost of a run in dollars; `priced` is false, and the cost 0, if its model has no price."""

    dollars: float
    priced: bool


def price(model: str, day: str, tokens_in: int, tokens_out: int, cached: int = 0) -> Cost:
    """Return the cost by list price.

    It is that of the longest listed name that `model` begins with, at its last price up to that day.
    `tokens_in` includes the cached ones.
    """
    known = [p for p in PRICES if model.startswith(p.model) and p.since <= day]
    if not known:
        return Cost(0.0, False)
    listed = max(known, key=lambda p: (len(p.model), p.since))
    dollars = (tokens_in - cached) * listed.input + cached * listed.cached + tokens_out * listed.output
    return Cost(dollars / 1e6, True)


def usage(episode: Episode) -> dict[str, Any]:
    """Return the calls, generated events and tokens of a run, as in `run_info.json`."""
    tokens = [n for n in (episode.tokens_in, episode.tokens_out) if n is not None]
    return {
        "calls": episode.counters.get("calls", 0),
        "events": episode.counters.get("event", 0),
        "input_tokens": episode.tokens_in,
        "output_tokens": episode.tokens_out,
        "tokens_total_billed": sum(tokens) if tokens else None,
    }


TRACE = "session.jsonl"


def save(episode: Episode, blobs: Blobs, folder: Path, model: str = "") -> dict[str, Any]:
    """Write an episode as a run folder that can be examined, with its trace.

    Args:
        episode: the episode that was played.
        blobs: the contents of its files.
        folder: the folder to write; it must be empty or not exist.
        model: tokens are priced as those of this model, at its last list price; empty for no price.

    Returns:
        The content of `run_info.json`.

    Raises:
        WriteError: the folder is in use.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise WriteError(f"{folder} is not an empty folder", "name one that is not there: a run has its own")
    run = of_episode(episode, blobs)
    took = usage(episode)
    if model:
        cost = price(model, LAST, episode.tokens_in or 0, episode.tokens_out or 0)
        took |= {"api_cost_usd": cost.dollars, "cost_priced": cost.priced}
    info = {
        **run.info,
        "agent": episode.agent,
        "task": f"{episode.task_set}/{episode.task_id}",
        "status": episode.status,
        "usage": took,
    }
    lines = "".join(canonical.dumps(line) + "\n" for line in trace(episode))
    texts = {INFO: canonical.dumps(info).encode() + b"\n", TRACE: lines.encode()}
    inside = {f"{WORKSPACE}/{path}": data for path, data in run.files.items()}
    ledger = {} if run.ledger is None else {LEDGER: run.ledger}
    (folder / WORKSPACE).mkdir(parents=True)
    write_files(folder, {**texts, **ledger, **inside})
    return info
