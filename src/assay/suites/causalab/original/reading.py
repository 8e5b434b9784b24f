"""Reading one run of the paper's harness: the folder of a seed, with the files that the release writes there.

| file | what is read |
|---|---|
| `graph_config.json` | the model, as one object of the released schema |
| `raw_io.jsonl` | `step`, `raw_output` (the agent's reply); the first `raw_input` names the records |
| `*_tracking_simple.jsonl`, else `*_tracking.jsonl` | `dialog_box`, `action` |
| `*_complete.txt` | `1` if the reactor was activated, `0` if not; may be missing |

Files named `.jsonl` hold JSON objects one after another, each on one line or on several. A run without
`raw_io.jsonl` is read from `action`, the parsed record. What a screen shows is taken from all texts in
`dialog_box`.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from assay import canonical
from assay.errors import AssayError
from assay.suites.causalab.dsl import Carried, read_compat
from assay.suites.causalab.model.files import is_number, model_of
from assay.suites.causalab.model.scm import Model, Values
from assay.suites.causalab.model.variables import display

GRAPH = "graph_config.json"
EXCHANGES = "raw_io.jsonl"
TRACKED = ("*_tracking_simple.jsonl", "*_tracking.jsonl")
COMPLETE = "*_complete.txt"

MOST_STEPS = 10_000
"""Largest number of objects in a file of one run."""

_LINE = re.compile(r"^\s*(.+?): (-?\d[0-9.eE+-]*)\s*$", re.MULTILINE)
_USES = re.compile(r"Uses: (\d+)/(\d+)")
_LISTED = re.compile(r"^- (\w+): (-?\d[0-9.eE+-]*)\s*$", re.MULTILINE)
_RECORD = re.compile(r"^\s*- Observation \d+: (\{.*\})\s*$", re.MULTILINE)


class BadLog(AssayError):
    """A log of a run is damaged, or is not that of a run in this laboratory."""


@dataclass(frozen=True)
class Screen:
    """The state of the laboratory that can be read off a screen.

    Attributes:
        values: The state of the manipulator's crystal.
        uses: The interventions so far and at most; None if the screen is not the manipulator's menu.
        reactor: The properties of the reactor's crystal.
    """

    values: Values
    uses: tuple[int, int] | None
    reactor: Values


@dataclass(frozen=True)
class Run:
    """One run, as it was logged.

    Attributes:
        folder: The folder of the run.
        model: The model.
        texts: The agent's replies, one a step.
        boxes: The texts of the field `dialog_box` in each row of the tracking file.
        tracked: The name of the tracking file.
        first_prompt: The first prompt, or an empty text.
        completed: Whether the reactor was activated; None if the run does not say.
    """

    folder: Path
    model: Model
    texts: tuple[str, ...]
    boxes: tuple[str, ...]
    tracked: str
    first_prompt: str
    completed: bool | None

    @cached_property
    def screens(self) -> tuple[Screen, ...]:
        """The parsed screen of each row of the tracking file."""
        return tuple(screen_of(box, self.model) for box in self.boxes)

    @cached_property
    def actions(self) -> tuple[Mapping[str, Any], ...]:
        """The action of each reply, which is a filler where the reply cannot be read."""
        return tuple(read_compat(text, Carried())[0].action for text in self.texts)

    @cached_property
    def stated_records(self) -> list[dict[str, Any]] | None:
        """The records in the first prompt, empty where they cannot be read; None without a prompt."""
        return [_object(text) for text in _RECORD.findall(self.first_prompt)] if self.first_prompt else None

    @property
    def sha256(self) -> str:
        """The hash (hex) of what was read."""
        return canonical.digest([self.model.raw, list(self.texts), list(self.boxes), self.completed])

    def place(self, row: int) -> str:
        """Return the name of a row of the tracking file, counted from 0, for messages."""
        return f"{self.folder / self.tracked}, object {row + 1}"


def folders(root: Path) -> list[Path]:
    """Return the folders of runs in a folder or below it, sorted."""
    return sorted(path.parent for path in root.rglob(GRAPH))


def files(root: Path) -> list[Path]:
    """Return the files that are read of the runs in a folder or below it."""
    patterns = (GRAPH, EXCHANGES, *TRACKED, COMPLETE)
    return sorted({path for folder in folders(root) for pattern in patterns for path in folder.glob(pattern)})


def read_run(folder: Path) -> Run:
    """Read the run in a folder.

    Raises:
        BadLog: A file is missing, damaged, or contradicts another; the message names file and place.
        ModelError: The model breaks a rule of the released schema.
    """
    path = folder / GRAPH
    graphs = [value for _, value in _objects(path)]
    if len(graphs) != 1:
        raise BadLog(f"{path} holds {len(graphs)} objects", "restore the file: it holds one model")
    model = model_of(graphs[0], str(path))
    tracked = next((found for pattern in TRACKED for found in sorted(folder.glob(pattern))), None)
    if tracked is None:
        raise BadLog(f"{folder} has no {TRACKED[0]}", "restore it: it holds what the screens showed")
    rows = list(_objects(tracked))
    boxes = tuple(_box(where, row) for where, row in rows)
    texts, prompt = _actions(rows), ""
    if (folder / EXCHANGES).exists():
        texts, prompt = _exchanges(folder / EXCHANGES)
    if not texts:
        raise BadLog(f"{folder} has no step", "leave the run out: its agent did not act")
    if len(rows) - len(texts) not in (0, 1):
        raise BadLog(
            f"{tracked} has {len(rows)} steps, {EXCHANGES} has {len(texts)}",
            "restore the file that was cut: both have one object a step, the former at most one more",
        )
    return Run(folder, model, texts, boxes, tracked.name, prompt, _completed(folder))


def screen_of(text: str, model: Model) -> Screen:
    """Return what the text of a dialog shows of the laboratory."""
    uses = _USES.search(text)
    if uses is None:
        listed = {name: float(number) for name, number in _LISTED.findall(text) if name in model.properties}
        return Screen({}, None, listed)
    names = {display(name): name for name in model.names}
    names |= {variable.display: variable.name for variable in model.variables}
    values = {names[label]: float(number) for label, number in _LINE.findall(text) if label in names}
    return Screen(values, (int(uses[1]), int(uses[2])), {})


def _objects(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the place and the value of each JSON object of a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise BadLog(f"{path} cannot be read ({problem.strerror})", "restore the file") from problem
    except UnicodeDecodeError as problem:
        raise BadLog(f"{path} is not UTF-8 text", "restore the file") from problem
    decoder, at, count = json.JSONDecoder(), 0, 0
    while (at := _next(text, at)) < len(text):
        count += 1
        where = f"{path}, object {count} (line {text.count(chr(10), 0, at) + 1})"
        if count > MOST_STEPS:
            raise BadLog(f"{where}: more than {MOST_STEPS} objects", "give the log of one run")
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as problem:
            reason = problem.msg if isinstance(problem, json.JSONDecodeError) else "nested too deeply"
            remedy = "restore the file: it may be cut there"
            raise BadLog(f"{where}: not JSON ({reason})", remedy) from problem
        if not isinstance(value, dict):
            raise BadLog(f"{where}: not an object", "restore the file: it holds one object a step")
        yield where, value


def _next(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _box(where: str, row: Mapping[str, Any]) -> str:
    if "dialog_box" not in row:
        raise BadLog(f"{where}: dialog_box: the field is missing", "restore the file as the harness wrote it")
    return "\n".join(_texts(row["dialog_box"]))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _exchanges(path: Path) -> tuple[tuple[str, ...], str]:
    """Return the agent's replies in the order of their steps, and the first prompt."""
    texts: list[str] = []
    prompt, before = "", 0
    for where, row in _objects(path):
        step, text = row.get("step"), row.get("raw_output")
        if isinstance(step, bool) or not isinstance(step, int):
            raise BadLog(f"{where}: step: must be a whole number", "restore the file")
        if texts and step != before + 1:
            raise BadLog(
                f"{where}: step {step} follows step {before}", "restore the steps between, or their order"
            )
        if not isinstance(text, str):
            raise BadLog(f"{where}: raw_output: must be a text", "restore the file")
        if not texts and isinstance(row.get("raw_input"), str):
            prompt = row["raw_input"]
        texts.append(text)
        before = step
    return tuple(texts), prompt


def _actions(rows: list[tuple[str, Any]]) -> tuple[str, ...]:
    """Return the parsed records as replies; a last row without one is the state in which the run ended."""
    texts = []
    for n, (where, row) in enumerate(rows, 1):
        action = row.get("action")
        if action is None and n == len(rows):
            break
        if not isinstance(action, dict):
            remedy = f"restore the file, or {EXCHANGES}, which has the replies"
            raise BadLog(f"{where}: action: must be an object", remedy)
        texts.append(json.dumps(action))
    return tuple(texts)


def _completed(folder: Path) -> bool | None:
    path = next(iter(sorted(folder.glob(COMPLETE))), None)
    if path is None:
        return None
    text = path.read_text(encoding="utf-8", errors="replace").strip()
    if text not in ("0", "1"):
        raise BadLog(f"{path}: {text[:20]!r} is neither 0 nor 1", "restore the file, or remove it")
    return text == "1"


def _object(text: str) -> dict[str, Any]:
    """Return a record in a prompt, which is JSON or a Python literal; empty if it is neither."""
    for parse in (json.loads, ast.literal_eval):
        try:
            value = parse(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(value, dict):
            return {str(name): number for name, number in value.items() if is_number(number)}
    return {}
