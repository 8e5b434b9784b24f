"""The doors of worlds: a model's reply goes to the harness, what comes of the episode is scored and audited.

An input is `{"task": n, "calls": [[tool, arguments], ...]}`; anything else is the text of a model's reply. A
world that crashes, a score or an audit that raises, and a log that cannot be written are defects, also where
the harness would go on.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.reliability.fuzzing.door import ROOT, Call, Defect, Door, text_of
from tests.reliability.fuzzing.spine import recordings

from assay import canonical
from assay.errors import AssayError
from assay.sessions.session import TaskSession

MOST_CALLS = 8
"""Of one input."""


def tasks(suite: str, names: Sequence[str]) -> list[Any]:
    """The suite, the first task of each of these frozen sets, and materials with what they show."""
    from assay.config.loading import load, suite_of
    from assay.episodes.artefacts import materials_for
    from assay.episodes.blobs import MemoryBlobs
    from assay.sessions.taskfiles import find_task

    source = Path("config/config.yaml") if suite != "madeup" else Path("config/test/small.yaml")
    found = suite_of(_loaded(source, load), suite, source)
    blobs = MemoryBlobs()
    folder = ROOT / "tasks" / suite
    made = [find_task(found, str(min((folder / name).glob("*.json"))), blobs) for name in names]
    return [found.suite, made, materials_for(found.suite, blobs)]


@functools.lru_cache
def _loaded(source: Path, load: Any) -> Any:
    return load(source)


def door(suite: str, names: Sequence[str]) -> Callable[[Path], Call]:
    """The tools of a suite's worlds at these tasks."""

    def opened(folder: Path) -> Call:
        from assay.agents.model import understand, writable
        from assay.agents.transport import Reply
        from assay.episodes.identity import Identity

        found, made, materials = tasks(suite, names)

        def call(data: bytes) -> object:
            number, calls, text = _read(data)
            task = made[number % len(made)]
            lines: list[bytes] = []
            identity = Identity("fuzz", suite, task.task_set, task.task_id, 0)
            with TaskSession(
                found, task, materials, identity, write=lambda line: lines.append(_bytes(line))
            ) as session:
                if calls is None:
                    understood, _ = understand(session.brief, writable(Reply(text)))
                    calls = [(one.tool, one.arguments) for one in understood]
                for tool, arguments in calls[:MOST_CALLS]:
                    result = session.call(tool, arguments)
                    _bytes([result.error, result.ended])
                episode = session.finish()
                if episode.status == "crashed":
                    raise Defect(f"the world crashed: {episode.reason}")
                return _bytes(session.score().to_json())

        return call

    return opened


def _bytes(value: Any) -> bytes:
    """What a log writes; raises for what cannot be written."""
    return canonical.dumps(value).encode()


def _read(data: bytes) -> tuple[int, list[tuple[str, Any]] | None, str]:
    """The number of a task with calls, or a text."""
    text = text_of(data)
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return 0, None, text
    if not isinstance(value, dict) or not isinstance(value.get("calls"), list):
        return 0, None, text
    number = value.get("task")
    calls = [
        (one[0], one[1])
        for one in value["calls"]
        if isinstance(one, list) and len(one) == 2 and isinstance(one[0], str)
    ]
    return number if isinstance(number, int) and abs(number) < 2**63 else 0, calls, text


def written(number: int, *calls: tuple[str, Any]) -> bytes:
    """A seed: these calls at the task of that number."""
    return json.dumps({"task": number, "calls": [list(call) for call in calls]}).encode()


def recorded(suite: str) -> list[bytes]:
    """The calls of real recordings, a few at a time."""
    found = []
    for data in recordings(suite):
        events = [json.loads(line).get("event") for line in data.splitlines()]
        calls = [(e["tool"], e["arguments"]) for e in events if e and e["kind"] == "call"]
        calls = [call for call in calls if call[0] != "run_code"]
        for start in range(0, min(len(calls), 12), 4):
            found.append(written(0, *calls[start : start + 4]))
    return found


def named(data: bytes) -> Iterator[str]:
    """The tools that a seed calls, those called by another tool included."""
    _, calls, _ = _read(data)
    for tool, arguments in calls or ():
        yield tool
        if tool == "act" and isinstance(arguments, Mapping):
            yield str(arguments.get("tool"))


def pilab_methods() -> list[bytes]:
    """A call of every method of the lab, with arguments that fit its kinds."""
    from assay.suites.pilab.interface.methods import METHODS, tool_name
    from assay.suites.pilab.interface.replays import schema

    def value(kind: Mapping[str, Any]) -> Any:
        if "enum" in kind:
            return kind["enum"][0]
        if "anyOf" in kind:
            return value(kind["anyOf"][0])
        named = kind.get("type")
        named = named[0] if isinstance(named, list) else named
        return {
            "integer": kind.get("minimum", 1),
            "number": kind.get("minimum", 1),
            "string": "nlp",
            "boolean": True,
            "array": [],
            "object": {},
        }.get(named, 1)

    found = []
    for name in METHODS:
        arguments = {key: value(kind) for key, kind in schema(name)["properties"].items()}
        found.append(written(0, ("act", {"tool": tool_name(name), "arguments": arguments})))
    return found


PETRI = (
    "core-v0",
    "l2-v0",
    "l3-v0",
    "vector-v0",
    "blind-v0",
    "paired-v0",
    "l4-v0",
    "smoke-v0",
)
CAUSALAB = ("smoke-v0", "main-v0", "embodied-v0")
COLLIDER = ("mock-v0", "smoke-v0")
PILAB = ("smoke-v0", "no-memory-v0")
SGI = (
    "wet-v0",
    "ideas-v0",
    "reasoning-v0",
    "research-v0",
    "research-given-v0",
    "reasoning-table-v0",
    "reasoning-blind-v0",
    "research-closed-v0",
)


def petri_seeds() -> list[bytes]:
    """Recorded calls, and one of each tool at each kind of task."""
    answer = {"parameter": "separation", "direction": "up"}
    return [
        *recorded("petri"),
        written(
            0,
            ("experiment", {"config_a": {}, "config_b": {"noise": 0.33}, "metric": "polarization"}),
            ("submit", answer),
        ),
        written(0, ("probe", {"guess": {"noise": 0.2}, "metric": "polarization"})),
        written(0, ("claim", {"parameter": "separation", "effect": "up"}), ("submit", answer)),
        written(1, ("submit", {**answer, "magnitude": "small"})),
        written(2, ("submit", {"parameters": ["leaders", "speed"], "interaction": "positive"})),
        written(
            3,
            ("experiment", {"config_a": {}, "config_b": {}}),
            ("submit", {"parameter": "separation", "signature": {}}),
        ),
        written(4, ("submit", {**answer, "metric": "polarization"})),
        written(
            5, ("experiment", {"config_a": {}, "config_b": {}, "metric": "polarization", "test": "paired"})
        ),
        written(6, ("measure", {"value": 0.5}), ("submit", {"estimate": 0.5, "low": 0.4, "high": 0.6})),
    ]


def causalab_seeds() -> list[bytes]:
    """Recorded records, and one that is complete with each action."""
    step = {
        "memory": "m",
        "thought": "t",
        "past_data": [],
        "experiment": {},
        "hypothesis": {
            "edges": [{"from": "density", "to": "resonanceFreq"}],
            "freq_equation": "resonanceFreq = base + c_density*density",
            "coefficients": {"base": 1.0, "c_density": 2},
        },
    }
    actions = (
        {"op": "intervene", "property": "density", "value": 30},
        {"op": "open_reactor"},
        {"op": "predict", "value": 77.5},
        {"op": "stop"},
        {"action": "TALK", "arg1": 1, "arg2": None, "chosen_dialog_option_int": 1, "value": 3},
        {"action": "USE", "arg1": 1, "arg2": 2},
    )
    return [
        *recorded("causalab"),
        *(
            written(number, ("record", {"text": json.dumps({**step, **action})}))
            for number in range(3)
            for action in actions
        ),
        written(0, *(("record", {"text": json.dumps({**step, **action})}) for action in actions[:3])),
        json.dumps({**step, "op": "stop"}).encode(),
    ]


def collider_seeds() -> list[bytes]:
    """Recorded calls without the scripts, and one of each tool."""
    kept = []
    for data in recorded("collider"):
        _, calls, _ = _read(data)
        kept.append(written(0, *[call for call in calls or () if call[0] != "run_analysis"]))
    histogram = "dependent_variables:\n- header: {name: a}\n  values:\n  - {value: 1.0}\n"
    return [
        *kept,
        written(
            0,
            ("manual", {"tool": "generate"}),
            ("list_files", {}),
            ("read_file", {"path": "agent_context/TASK.md"}),
        ),
        written(
            0,
            ("write_file", {"path": "results/mock.yaml", "text": histogram}),
            ("check_submission", {}),
            ("finish", {}),
        ),
        written(0, ("cross_section", {"process": "mock", "mass": 1150})),
        written(
            0, ("hepdata", {"action": "search", "record": "ins1", "table": "t"}), ("ufo", {"search": "a"})
        ),
        written(0, ("read_paper", {"part": 0}), ("simulate", {})),
        written(
            0,
            (
                "generate",
                {"name": "gen", "card": {"generator": "mock", "mass": 1150}, "seed": 1, "events": 10},
            ),
        ),
        written(0, ("run_analysis", {"script": "analysis/none.py", "inputs": []})),
        written(0, ("read_events", {"sample": "data/gen.csv", "first": 0, "count": 2})),
    ]


def pilab_seeds() -> list[bytes]:
    """A call of every tool; code is left out but for a reply that holds none."""
    return [
        *pilab_methods(),
        written(
            0,
            ("act", {"tool": "query", "arguments": {"sql": "SELECT name FROM students"}}),
            ("act", {"tool": "next_month", "arguments": {}}),
        ),
        written(
            0,
            ("act", {"tool": "write_memory", "arguments": {"text": "a"}}),
            ("act", {"tool": "read_memory", "arguments": {}}),
        ),
        written(0, ("run_code", {"code": "no code"}), ("act", {"tool": "next_month", "arguments": {}})),
    ]


def sgi_seeds() -> list[bytes]:
    """A reply to an item of each family, and one of each tool of the reading room."""
    wet = (
        '<answer>\nout_1 = <Weigh>(\n    sample="a",\n    mass="3 mg",\n)\n'
        "out_2 = <Mix>(\n    input=out_1,\n)\n</answer>"
    )
    idea = (
        '<answer>{"Idea": "a", "ImplementationSteps": {"1": "do"}, "ImplementationOrder": ["1-2"],'
        ' "Dataset": "d", "EvaluationMetrics": {"a": "b"}, "ExpectedOutcome": "e"}</answer>'
    )
    research = '<answer>{"answer": "1.5", "steps": ["Find D0001 (x).", "Compute: x = 1.5 m."]}</answer>'
    return [
        written(0, ("answer", {"text": wet})),
        written(1, ("answer", {"text": idea})),
        written(2, ("answer", {"text": "Reading 1: 3.5 mm\n\\boxed{A}"})),
        written(
            3,
            ("search", {"query": "mass of sample", "k": 3}),
            ("open", {"doc_id": "D0001"}),
            ("table", {"doc_id": "D0001", "number": 1}),
            ("answer", {"text": research}),
        ),
        written(4, ("answer", {"text": research})),
        written(5, ("answer", {"text": "<answer>B</answer>"})),
        written(6, ("answer", {"text": "(C)"})),
        written(7, ("answer", {"text": "<answer>1.5, 2.5</answer>"})),
        written(3, ("python", {"code": ""})),
        wet.encode(),
    ]


def rows() -> list[Door]:
    """The table's part: one row a suite."""
    return [
        Door("tools of petri", "calls", door("petri", PETRI), petri_seeds, (AssayError,), 8, suite="petri"),
        Door(
            "tools of causalab",
            "calls",
            door("causalab", CAUSALAB),
            causalab_seeds,
            (AssayError,),
            10,
            suite="causalab",
        ),
        Door(
            "tools of collider",
            "calls",
            door("collider", COLLIDER),
            collider_seeds,
            (AssayError,),
            4,
            suite="collider",
        ),
        Door("tools of pilab", "calls", door("pilab", PILAB), pilab_seeds, (AssayError,), 4, suite="pilab"),
        Door("tools of sgi", "calls", door("sgi", SGI), sgi_seeds, (AssayError,), 3, suite="sgi"),
    ]
