"""What every suite promises: each function here is one promise, kept or broken by one suite.

`test_conformance` runs all of them over every suite. A new suite needs no test of its own for any of this:
it adds a `Subject` to the list there.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import json
import math
import re
import subprocess
import sys
import tempfile
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from assay import canonical, plotting, protocol, rooms
from assay.agents.solver import SolverAgent
from assay.config.archive import CONTENTS, SUMS, Archive
from assay.config.sets import find_set
from assay.episode import Episode, encode_parts, episode_row, event_rows, from_rows
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import MOST_CALLS, Outside, play
from assay.numbers.rng import Stream
from assay.protocol import (
    COMMITTED,
    NEVER_SCORED,
    Agent,
    BlobRef,
    Brief,
    Call,
    CheckRow,
    Json,
    Key,
    Materials,
    Measure,
    Metric,
    Part,
    Question,
    Role,
    TaskSet,
    Tool,
)
from assay.report.viewer import Shown, Viewer
from assay.sessions import opinion
from assay.sessions.assessment import assess
from assay.stages.audit import flag_rows
from assay.stages.scores import score_rows
from assay.suite import OPTIONAL_ROOMS, ROOMS, Suite
from assay.tables.reader import read_frame, read_rows
from assay.tables.schema import Schema
from assay.tables.schemas.audit import AUDIT
from assay.tables.schemas.calibration import CALIBRATION
from assay.tables.schemas.conducts import CONDUCTS
from assay.tables.schemas.episodes import EPISODES, EVENTS
from assay.tables.schemas.opinions import OPINIONS
from assay.tables.schemas.scores import SCORES
from assay.tables.schemas.tasks import TASKS
from assay.tables.schemas.validation import VALIDATION
from assay.tables.writer import write_table
from assay.task import Task, file_name, read_frozen
from assay.validity import commitment
from tests.markup import page_of
from tests.protocol.calls import Arguments, Wrap, sequences

ROOT = Path(__file__).parents[2]

HEAVY = frozenset({"numpy", "pandas", "pyarrow", "scipy", "matplotlib", "numba", "snakemake"})


def long_texts(task: Task) -> Iterator[str]:
    """What of a task's truth is long enough to be recognised wherever it turns up.

    Texts of six characters and numbers of five digits; what is public, too, is left out.
    """

    def leaves(value: Json) -> Iterator[str]:
        if isinstance(value, dict):
            for inner in value.values():
                yield from leaves(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from leaves(inner)
        elif isinstance(value, str) and len(value) >= 6:
            yield value
        elif isinstance(value, int | float) and sum(c.isdigit() for c in repr(value)) >= 5:
            yield repr(value)

    public = canonical.dumps([task.public, dict(task.strata)])
    return (text for text in leaves(task.hidden) if text not in public)


@dataclass(frozen=True)
class Subject:
    """A suite under test, and how much of it is played.

    `folder` holds its frozen sets. Of the set `task_set` the tasks with these `indices` are played by all
    solvers; of each set in `generated` the tasks with the indices there are generated again. `settings`
    makes calibration and validation quick, `examples` random sequences of calls are tried, and one that
    breaks the promise is made shorter where `shrink` says so. `wrap` says how an
    agent reaches a tool behind the `code` door, `spare` names tools that crash on purpose. `hidden_texts`
    gives the texts of a task that no agent may see before it knows the answer. `unjudged` says that
    no role of the suite's judges is about the tasks that are played.
    """

    suite: Suite
    folder: Path
    task_set: str
    indices: tuple[int, ...]
    generated: Mapping[str, tuple[int, ...]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    examples: int = 100
    shrink: bool = True
    wrap: Wrap | None = None
    spare: frozenset[str] = frozenset()
    hidden_texts: Callable[[Task], Iterable[str]] = long_texts
    unjudged: bool = False

    @cached_property
    def sets(self) -> Mapping[str, TaskSet]:
        return self.suite.room("tasks").SETS

    def archive(self, task_set: str) -> Archive:
        """The files of an archived set."""
        return Archive(self.folder / task_set, self.suite.name)

    def generate(self, task_set: str, index: int, blobs: protocol.Blobs, seed: int | None = None) -> Task:
        """A task of a set; one of an archived set is read, as nothing else can make it."""
        found = self.sets[task_set]
        if found.archived:
            return self.archive(task_set).task(index, blobs)
        seed = found.seed if seed is None else seed
        return self.suite.room("tasks").generate(found, task_set, index, seed, blobs)

    @cached_property
    def materials(self) -> Materials:
        return self.fresh_materials()

    def fresh_materials(self) -> Materials:
        """Materials that hold what the played tasks show, and nothing else."""
        blobs = MemoryBlobs()
        for task, index in zip(self.tasks, self.indices, strict=True):
            if task.blobs:
                self.generate(self.task_set, index, blobs)
        return materials_for(self.suite, blobs)

    def judging_materials(self) -> Materials:
        """New materials for scoring and audit, which also get the contents that episodes brought forth."""
        blobs = MemoryBlobs(self.materials.blobs.get)
        return materials_for(self.suite, blobs)

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        return tuple(read_frozen(self.folder / self.task_set / file_name(index)) for index in self.indices)

    def play(
        self,
        task: Task,
        name: str,
        agent: Agent | None = None,
        materials: Materials | None = None,
        outside: Outside | None = None,
    ) -> Episode:
        """An episode of the solver of that name, or of the agent given."""
        solver = self.suite.room("solvers").SOLVERS.get(name)
        agent = agent or SolverAgent(self.suite.find("solvers", "SOLVERS", name), task, self.materials.blobs)
        episode = play(self.suite, task, name, agent, 0, materials or self.materials, outside=outside)
        return replace(episode, privileged=solver is not None and solver.privileged)

    @cached_property
    def episodes(self) -> Mapping[tuple[int, str], Episode]:
        """Every solver at every task, by the task's place and the solver's name."""
        return {
            (at, name): self.play(task, name)
            for at, task in enumerate(self.tasks)
            for name in sorted(self.suite.room("solvers").SOLVERS)
        }

    @cached_property
    def frames(self) -> _Frames:
        """The common tables of all episodes."""
        return _Frames(self)

    def brief(self, task: Task, materials: Materials | None = None) -> Brief:
        """What an agent is told."""
        found: list[Brief] = []

        class Reader:
            def act(self, brief: Brief, call: Call, stream: Stream) -> None:
                found.append(brief)

        self.play(task, "reader", Reader(), materials)
        return found[0]

    def section(self, stage: str) -> dict[str, Any]:
        """The settings of one stage, as its room gets them."""
        settings = self.suite.room("settings").Settings(**self.settings).model_dump(mode="json")
        section: dict[str, Any] = settings[stage]
        return section


Promise = Callable[[Subject], None]
PROMISES: list[Promise] = []

OF_SUITES: set[Promise] = set()
"""Promises that a suite keeps or breaks with any tasks: they read neither `task_set` nor `generated`."""


def promise(check: Promise) -> Promise:
    PROMISES.append(check)
    return check


def promise_of_suite(check: Promise) -> Promise:
    OF_SUITES.add(check)
    return promise(check)


def asked(subjects: Iterable[Subject]) -> list[tuple[Subject, Promise]]:
    """Every promise with every subject, but those of a suite once for each way in which it is set."""
    pairs, seen = [], set()
    for subject in subjects:
        suite_as_set = (subject.suite.package, subject.folder, canonical.dumps(dict(subject.settings)))
        pairs += [
            (subject, check) for check in PROMISES if check not in OF_SUITES or suite_as_set not in seen
        ]
        seen.add(suite_as_set)
    return pairs


# ------------------------------------------------------------ rooms


@promise_of_suite
def every_room_offers_what_its_stage_calls(subject: Subject) -> None:
    """Each member of the room's protocol is there; mypy compares the types (`tests.protocol.rooms`)."""
    for room in ROOMS:
        if room in OPTIONAL_ROOMS and not subject.suite.has(room):
            continue
        module, protocol_of = subject.suite.load(room), getattr(rooms, f"{room.title()}Room")
        functions = {name for name in vars(protocol_of) if not name.startswith("_")}
        missing = [name for name in (*protocol_of.__annotations__, *functions) if not hasattr(module, name)]
        assert not missing, f"{module.__name__} lacks {', '.join(missing)}"
        for name in filter(lambda name: inspect.isfunction(getattr(protocol_of, name)), functions):
            _, *wanted = inspect.signature(getattr(protocol_of, name)).parameters
            given_names = inspect.signature(getattr(module, name)).parameters.values()
            # A parameter with a default is the suite's own affair.
            assert [p.name for p in given_names if p.default is p.empty] == wanted, f"{room}.{name}"


@promise_of_suite
def rooms_load_no_more_than_they_need(subject: Subject) -> None:
    suite = subject.suite
    package = _loaded(suite.package)
    above = {suite.package.rsplit(".", n)[0] for n in range(suite.package.count(".") + 1)}
    ours = {name for name in package if name.split(".")[0] in ("assay", suite.package.split(".")[0])}
    assert ours <= above | {"assay", "assay.suite", "assay.errors"}
    assert not HEAVY & _loaded(suite.module("settings"))
    for room in ("scoring", "audit"):
        assert suite.module("world") not in _loaded(suite.module(room)), f"{room} imports the world"


def _loaded(module: str) -> set[str]:
    """The modules that a new interpreter has after the import of one."""
    program = f"import json, sys, {module}; print(json.dumps(list(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=True, text=True, timeout=60
    )
    return set(json.loads(done.stdout))


@promise_of_suite
def public_functions_say_what_they_return(subject: Subject) -> None:
    for room in ROOMS:
        if not subject.suite.has(room):
            continue
        tree = ast.parse(inspect.getsource(subject.suite.load(room)))
        assert ast.get_docstring(tree), f"{room} has no docstring"
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                assert ast.get_docstring(node), f"{room}.{node.name} has no docstring"


@promise_of_suite
def seeds_of_committed_sets_follow_from_their_secrets(subject: Subject) -> None:
    sets = subject.suite.room("tasks").SETS
    paths = sorted(subject.folder.glob(f"*/{commitment.NAME}"))
    committed = {name for name, task_set in sets.items() if task_set.seed == COMMITTED}
    assert committed <= {path.parent.name for path in paths}, "a set without a seed needs a commitment"
    for name, secret in ((path.parent.name, commitment.read(path.parent).secret) for path in paths):
        if name in sets:  # A commitment may come before its set.
            seed = COMMITTED
            if secret is not None:
                seed = commitment.seed_of(bytes.fromhex(secret), subject.suite.name, name)
            assert sets[name].seed == seed, f"{name}: declare the seed {seed}"


@promise_of_suite
def settings_have_defaults_and_refuse_unknown_keys(subject: Subject) -> None:
    model = subject.suite.room("settings").Settings
    for section, value in model().model_dump(mode="json").items():
        canonical.dumps(value)
        mistakes: tuple[dict[str, Any], ...] = ({"no_such_section": {}}, {section: {"no_such_key": 1}})
        for wrong in mistakes:
            try:
                model(**wrong)
            except ValidationError:
                continue
            raise AssertionError(f"Settings accepts {wrong}")


@promise_of_suite
def settings_offer_exactly_what_exists(subject: Subject) -> None:
    model = subject.suite.room("settings").Settings
    for stage, key, room, collection in (
        ("validation", "checks", "validation", "CHECKS"),
        ("analysis", "tables", "analysis", "TABLES"),
        ("figures", "figures", "figures", "FIGURES"),
    ):
        there = set(getattr(subject.suite.load(room), collection))
        section: Any = model.model_fields[stage].annotation
        offered = section.model_json_schema()["properties"][key]["items"]
        assert set(offered.get("enum", [offered.get("const")])) == there, f"{stage}.{key}"
        assert set(getattr(getattr(model(), stage), key)) <= there


# ------------------------------------------------------------ tasks


@promise
def a_task_depends_on_its_set_its_index_and_the_seed_alone(subject: Subject) -> None:
    for name, indices in subject.generated.items():
        if subject.sets[name].archived:
            continue  # its files are the tasks
        forth = {n: subject.generate(name, n, MemoryBlobs()) for n in indices}
        blobs = MemoryBlobs()
        back = {n: subject.generate(name, n, blobs) for n in reversed(indices)}
        assert forth == back
        seed = subject.sets[name].seed + 1
        other = {n: subject.generate(name, n, MemoryBlobs(), seed) for n in indices}
        assert any(other[n].hidden != forth[n].hidden for n in indices), "the seed changes nothing"


@promise
def tasks_are_well_formed(subject: Subject) -> None:
    for name, indices in subject.generated.items():
        blobs = MemoryBlobs()
        tasks = [subject.generate(name, index, blobs) for index in indices]
        _check_tasks(subject, name, tasks)
        for task in tasks:
            subject.suite.room("tasks").verify(task)
            for ref in task.blobs:
                assert len(blobs.get(ref.sha256)) == ref.size


def _check_tasks(subject: Subject, name: str, tasks: list[Task]) -> None:
    ids = [task.task_id for task in tasks]
    assert ids == sorted(set(ids)), "task ids ascend with the index, as text"
    for task in tasks:
        assert (task.suite, task.task_set) == (subject.suite.name, name)
        assert re.fullmatch(r"[a-z0-9][a-z0-9._-]*", task.task_id)
        assert 0 <= task.seed < 2**63
        assert task.strata.keys() == tasks[0].strata.keys()
        assert all(isinstance(level, str) and level for level in task.strata.values())
        assert Task.from_json(canonical.loads(task.frozen_text())) == task
        assert Task.from_row(task.to_row(0)) == task


@promise_of_suite
def frozen_files_are_counted_and_well_formed(subject: Subject) -> None:
    for folder, files in _frozen(subject):
        archived = subject.sets[folder.name].archived
        listed = files if archived else [p for p in folder.iterdir() if p.name != commitment.NAME]
        assert sorted(file.name for file in listed) == [file_name(index) for index in range(len(files))]
        assert len(files) == subject.sets[folder.name].size
        _check_tasks(subject, folder.name, [read_frozen(file) for file in files])


@promise
def frozen_files_are_what_the_generator_makes(subject: Subject) -> None:
    frozen = {folder.name: (folder, files) for folder, files in _frozen(subject)}
    assert subject.task_set in frozen
    for name, indices in subject.generated.items():
        if name not in frozen or subject.sets[name].archived:
            continue
        folder, files = frozen[name]
        committed = (folder / commitment.NAME).is_file()
        seed = find_set(subject.suite, name).seed if committed else None
        for index in indices:
            made = subject.generate(name, index, MemoryBlobs(), seed)
            assert files[index].read_text(encoding="utf-8") == made.frozen_text()


def _frozen(subject: Subject) -> Iterator[tuple[Path, list[Path]]]:
    """The folders of frozen sets, each with the files of its tasks."""
    for folder in sorted(path for path in subject.folder.iterdir() if path.is_dir()):
        files = sorted(folder.glob("*.json"))
        if files or not (folder / commitment.NAME).is_file():  # else its secret is not revealed yet
            yield folder, files


@promise_of_suite
def archived_files_are_whole_and_can_be_played(subject: Subject) -> None:
    """Every file of an archived set is listed and unchanged, and the present world takes its task."""
    for name in [name for name, declared in subject.sets.items() if declared.archived]:
        archive = subject.archive(name)
        there = {
            str(path.relative_to(archive.folder)) for path in archive.folder.rglob("*") if path.is_file()
        }
        listed = {*archive.sums, SUMS, commitment.NAME}  # a set of a committed secret has that file, too
        assert there | {commitment.NAME} == listed, f"{SUMS} of {name} does not list exactly the files"
        try:
            blobs = MemoryBlobs()
            tasks = list(archive.check(subject.suite.room("tasks"), blobs))
            for task in tasks:
                subject.brief(task, materials_for(subject.suite, blobs))
        except Exception as problem:  # of the archive, or of a world that misses something in an old task
            raise AssertionError(f"{name}: {problem}") from problem
        assert len(tasks) == subject.sets[name].size
        assert {f"{CONTENTS}/{ref.sha256}" for ref, _ in blobs.items()} == set(archive.contents)


@dataclass
class _Asked:
    """Artefacts that note which keys were asked for."""

    inner: protocol.Artefacts
    keys: set[Key] = field(default_factory=set)

    def get(self, key: Key) -> Path:
        self.keys.add(key)
        return self.inner.get(key)


@promise
def artefacts_are_announced_and_repeat(subject: Subject) -> None:
    if not subject.suite.has("artefacts"):
        return
    room, found = subject.suite.room("artefacts"), subject.fresh_materials()
    asked = _Asked(found.artefacts)
    materials = Materials(found.blobs, asked)
    every: set[Key] = set()

    def check(stage: str, task: Task | None, agent: str, work: Callable[[], Any]) -> None:
        asked.keys.clear()
        work()
        needs = room.needs(stage, task, agent)
        assert asked.keys <= set(needs), f"{stage}: asked for a key that `needs` does not list"
        every.update(needs)

    for task in subject.tasks:
        for name in subject.suite.room("solvers").SOLVERS:
            check("episodes", task, name, partial(subject.play, task, name, materials=materials))
        check("calibration", task, "", partial(_measures, subject, task, materials))
    check("validation", None, "", partial(_checks, subject, materials))
    with tempfile.TemporaryDirectory() as folder:
        for key in every:
            assert key.suite == subject.suite.name
            assert canonical.dumps(canonical.loads(key.params)) == key.params
            files = [Path(folder) / name for name in ("first", "second")]
            for file in files:
                room.make(key, subject.fresh_materials(), file)
            assert files[0].read_bytes() == files[1].read_bytes()


# ------------------------------------------------------------ the world and its tools


@promise
def a_brief_is_complete_and_the_same_twice(subject: Subject) -> None:
    for task in subject.tasks:
        brief = subject.brief(task)
        assert _canonical(brief) == _canonical(subject.brief(task, subject.fresh_materials()))
        assert brief.system
        names = [tool.name for tool in brief.tools]
        assert len(set(names)) == len(names)
        assert all(isinstance(most, int) and most > 0 for most in brief.limits.values())
        for tool in brief.tools:
            _check_tool(tool)
        if brief.reply is not None:
            tool = brief.tools[names.index(brief.reply)]
            assert tool.audience == "agent"
            (argument,) = tool.schema["required"]
            assert tool.schema["properties"][argument]["type"] == "string", "a reply is one text"
        for part in brief.parts:
            if isinstance(part, BlobRef):
                assert len(subject.materials.blobs.get(part.sha256)) == part.size


def _check_tool(tool: Tool) -> None:
    Draft202012Validator.check_schema(tool.schema)
    canonical.dumps(tool.schema)
    assert re.fullmatch(r"[a-z][a-z0-9_]*", tool.name)
    assert tool.doc.strip()
    assert tool.schema["type"] == "object"
    assert tool.schema.get("additionalProperties", True) is not True, f"{tool.name} takes unknown arguments"
    assert tool.counter != "calls", "calls are counted by the harness"


def _canonical(brief: Brief) -> str:
    return canonical.dumps({**asdict(brief), "parts": encode_parts(brief.parts)})


@promise
def nothing_hidden_is_shown(subject: Subject) -> None:
    for (at, _), episode in subject.episodes.items():
        check_shown(subject, subject.tasks[at], episode)
    for task in subject.tasks:
        brief = subject.brief(task)
        shown = canonical.dumps([brief.system, [tool.doc for tool in brief.tools]])
        shown += canonical.dumps([dict(tool.schema) for tool in brief.tools])
        _check_text(subject, task, shown + _text(subject, brief.parts), "the brief")


def check_shown(subject: Subject, task: Task, episode: Episode) -> None:
    _check_text(subject, task, episode.reason, "the reason")
    said = ""
    for event in episode.events:
        said += canonical.dumps(event.arguments)
        if event.kind != "file":
            shown = _text(subject, event.parts) + (event.error or "")
            _check_text(subject, task, shown, f"step {event.step} of {episode.agent}", said)


def _check_text(subject: Subject, task: Task, shown: str, place: str, said: str = "") -> None:
    """Nothing hidden may be in `shown`, unless the agent said it first."""
    for secret in subject.hidden_texts(task):
        found = re.search(rf"(?<![0-9.]){re.escape(secret)}(?![0-9])", shown)
        assert found is None or secret in said, f"{place} shows {secret!r}, which is hidden"


def _text(subject: Subject, parts: Iterable[Part]) -> str:
    """All parts as one text, contents by hash included."""
    return "\n".join(
        subject.materials.blobs.get(part.sha256).decode(errors="replace")
        if isinstance(part, BlobRef)
        else part
        if isinstance(part, str)
        else canonical.dumps(part)
        for part in parts
    )


@dataclass(frozen=True)
class Script:
    """An agent that makes these calls, whatever comes back."""

    calls: Iterable[tuple[str, Arguments]]

    def act(self, brief: Brief, call: Call, stream: Stream) -> None:
        for tool, arguments in self.calls:
            call(tool, arguments)


@promise
def worlds_are_total_and_refusals_change_nothing(subject: Subject) -> None:
    """Whatever an agent calls, the world answers; and without the refused calls all would be the same."""
    task = subject.tasks[0]
    brief = subject.brief(task)

    @settings(
        max_examples=subject.examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[phase for phase in Phase if subject.shrink or phase is not Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(sequences(brief, subject.wrap, subject.spare))
    def attempt(calls: list[tuple[str, Arguments]]) -> None:
        first = subject.play(task, "script", Script(calls))
        assert first.status != "crashed", first.reason
        check_log(first, brief)
        check_shown(subject, task, first)
        carried_out = [(e.tool, e.arguments) for e in first.events if e.kind == "call" and e.ok]
        given_values: Iterator[Any] = iter([e.parts[0] for e in first.events if e.kind == "outside"])

        def outside(run: Callable[[Call], Json], call: Call) -> Json:
            run(call)
            value: Json = next(given_values)
            return value

        second = subject.play(task, "script", Script(carried_out), outside=outside)
        assert _effects(first) == _effects(second)

    attempt()


def _effects(episode: Episode) -> Any:
    """What was done and what came of it, without the refusals."""
    done = [(e.kind, e.tool, e.arguments, e.parts, e.charged) for e in episode.events if e.ok]
    drawn = {name: n for name, n in episode.counters.items() if name != "calls"}
    return done, drawn, episode.submission, episode.status


def check_log(episode: Episode, brief: Brief) -> None:
    """Steps without a gap, parents before children, charges that add up and stay within their limits."""
    tools = {tool.name: tool for tool in brief.tools}
    assert [event.step for event in episode.events] == list(range(len(episode.events)))
    counted = [tool.counter for tool in brief.tools if tool.counter is not None]
    drawn = dict.fromkeys(["calls", *brief.limits, *counted], 0)
    for event in episode.events:
        canonical.dumps(event.to_json())
        assert (event.error is None) == event.ok
        assert event.ok or not (event.charged or event.parts), "a refusal costs nothing and shows nothing"
        if event.kind == "call":
            assert event.parent is None
            drawn["calls"] += 1
        else:
            assert event.parent is not None
            assert event.parent < event.step
            assert episode.events[event.parent].kind in ("call", "code", "outside")
        if event.kind in ("call", "code") and event.ok:
            tool = tools[event.tool]
            assert tool.audience == ("agent" if event.kind == "call" else "code")
            assert event.charged == 0 or tool.counter is not None
            if tool.counter is not None:
                drawn[tool.counter] += event.charged
        if event.kind == "outside":
            assert tools[event.tool].replay == "given"
        if event.kind == "file":
            (ref,) = event.parts
            assert isinstance(ref, BlobRef)
    assert drawn == episode.counters
    for name, most in {"calls": MOST_CALLS, **brief.limits}.items():
        assert drawn[name] <= most, f"the counter {name} passed its limit"


# ------------------------------------------------------------ solvers


@promise
def every_solver_comes_to_an_end_at_every_task(subject: Subject) -> None:
    solvers = subject.suite.room("solvers").SOLVERS
    for (at, name), episode in subject.episodes.items():
        assert solvers[name].doc.strip()
        assert episode.status in typing.get_args(protocol.Status)
        assert (episode.status == "no_submission") <= (episode.submission is None)
        assert (episode.status in ("done", "invalid")) <= (episode.submission is not None)
        if not subject.spare:
            assert episode.status not in NEVER_SCORED, f"{name}: {episode.reason}"
        check_log(episode, subject.brief(subject.tasks[at]))


@promise
def an_episode_is_the_same_in_any_company(subject: Subject) -> None:
    """Played again in the opposite order, with new materials: the same, to the last event."""
    materials = subject.fresh_materials()
    for (at, name), episode in reversed(list(subject.episodes.items())):
        again = subject.play(subject.tasks[at], name, materials=materials)
        assert again.log_sha256 == episode.log_sha256
        assert again == episode


@promise
def episodes_survive_their_tables(subject: Subject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for episode in subject.episodes.values():
            write_table([episode_row(episode)], Path(folder) / "episodes", EPISODES)
            write_table(event_rows(episode), Path(folder) / "events", EVENTS)
            (row,) = read_rows(Path(folder) / "episodes", EPISODES)
            assert from_rows(row, read_rows(Path(folder) / "events", EVENTS)) == episode


# ------------------------------------------------------------ scores and flags


@promise_of_suite
def metrics_are_declared_in_full(subject: Subject) -> None:
    metrics: Mapping[str, Metric] = subject.suite.room("scoring").METRICS
    assert {"score", "solved"} <= metrics.keys()
    assert [name for name, metric in metrics.items() if metric.headline] == ["score"]
    assert (metrics["solved"].low, metrics["solved"].high) == (0, 1)
    for name, metric in metrics.items():
        assert metric.doc.strip(), name
        assert metric.low is None or metric.high is None or metric.low < metric.high, name


@promise
def scores_are_what_their_metrics_declare(subject: Subject) -> None:
    room = subject.suite.room("scoring")
    for (at, name), episode in subject.episodes.items():
        if episode.status in NEVER_SCORED:
            continue
        found = list(room.score(subject.tasks[at], episode, subject.materials))
        assert found == list(room.score(subject.tasks[at], episode, subject.judging_materials()))
        keys = [(s.profile, s.metric, s.step) for s in found]
        assert len(set(keys)) == len(keys), f"{name}: a metric twice"
        final = {s.metric: s.value for s in found if s.step is None and s.profile == "default"}
        assert final["score"] is not None
        assert final["solved"] in (0, 1)
        for score in found:
            metric = room.METRICS[score.metric]
            if score.value is not None:
                assert math.isfinite(score.value), score
                assert metric.low is None or score.value >= metric.low, score
                assert metric.high is None or score.value <= metric.high, score
            assert score.step is None or score.step < len(episode.events), score


@promise
def what_says_nothing_about_ability_has_no_value(subject: Subject) -> None:
    some = subject.episodes[0, min(name for _, name in subject.episodes)]
    unplayed = [replace(some, status=status, events=(), counters={}) for status in sorted(NEVER_SCORED)]
    real = [e for e in subject.episodes.values() if e.status in NEVER_SCORED]
    for episode in unplayed + real:
        rows = score_rows(subject.suite, subject.tasks[0], episode, subject.materials)
        assert {row["metric"] for row in rows} == set(subject.suite.room("scoring").METRICS)
        assert all(row["value"] is None for row in rows)
        assert flag_rows(subject.suite, subject.tasks[0], episode, subject.materials) == []


@promise
def every_episode_can_be_shown(subject: Subject) -> None:
    materials = subject.judging_materials()
    viewer = Viewer(subject.suite, materials, lambda content: f"{content.sha256}.png")
    assert page_of(viewer.legend()).tags

    def article(shown: Shown) -> str:
        try:
            return viewer.article(shown)
        except Exception as problem:
            raise AssertionError(f"{shown.episode.agent} cannot be shown: {problem!r}") from problem

    for (at, name), episode in subject.episodes.items():
        task = subject.tasks[at]
        found = assess(subject.suite, task, episode, materials)
        shown = Shown(task, episode, found.scores, found.flags, True, len(episode.events))
        text = article(shown)
        assert text == article(shown), f"{name} is shown in two ways"
        page = page_of(text)
        assert page.tags["article"] == 1
        assert page.links <= page.names, f"{name}: a link to a step that is not there"
        # What else an episode may be: its log a digest, cut anywhere, crashed before or after an answer.
        bare = replace(episode, events=())
        cut = replace(episode, events=episode.events[: len(episode.events) // 2], submission=None)
        crashed = replace(bare, status="crashed", reason="the world broke", submission=None)
        for other, scores, flags in (
            (bare, found.scores, found.flags),
            (cut, found.scores, found.flags),
            (crashed, (), ()),
            (replace(bare, submission=None, status="no_submission"), found.scores, found.flags),
        ):
            page_of(article(Shown(task, other, scores, flags, other is not bare, len(episode.events))))
        # A text of an agent stays text: it brings forth no tag and no attribute that were not there.
        hostile = replace(
            episode,
            reason=PLANTED,
            submission=_planted(episode.submission),
            events=tuple(
                replace(event, arguments=_planted(event.arguments), error=event.error and PLANTED)
                for event in episode.events
            ),
        )
        planted = tuple(
            replace(flag, label=PLANTED, evidence=_planted(flag.evidence)) for flag in found.flags
        )
        text = article(replace(shown, episode=hostile, flags=planted))
        assert not page_of(text).attributes - ALLOWED, f"{name}: an attribute was planted"
        assert "&lt;script&gt;" in text


PLANTED = "</svg><script>alert(1)</script><img src=x onerror=alert(2)>\x00\x1b[31m\"' javascript:alert(3)"
"""A text that would do something, were it not escaped."""

ALLOWED = frozenset(
    (
        *("alt", "class", "href", "id", "lang", "loading", "role", "scope", "src", "value"),
        *("d", "height", "text-anchor", "viewbox", "width", "x", "y"),
    )
)


def _planted(value: Any) -> Any:
    """A JSON value with the planted text behind each of its texts."""
    if isinstance(value, str):
        return value + PLANTED
    if isinstance(value, dict):
        return {key: _planted(inner) for key, inner in value.items()}
    return [_planted(inner) for inner in value] if isinstance(value, list) else value


@promise
def flags_are_declared_and_raised_by_known_conduct(subject: Subject) -> None:
    room, solvers = subject.suite.room("audit"), subject.suite.room("solvers").SOLVERS
    assert all(spec.doc.strip() for spec in room.FLAGS.values())
    assert room.expected("nobody", subject.tasks[0].strata, True) is None
    known = 0
    for (at, name), episode in subject.episodes.items():
        if episode.status in NEVER_SCORED:
            continue
        found = list(room.audit(subject.tasks[at], episode, subject.materials))
        names = [flag.flag for flag in found]
        declared = room.flags_of(subject.tasks[at]) if hasattr(room, "flags_of") else room.FLAGS
        assert sorted(names) == sorted(declared), f"{name}: every flag once, raised or not"
        assert set(declared) <= set(room.FLAGS)
        for flag in found:
            canonical.dumps(flag.evidence)
            assert flag.raised in (True, False, None)
            if room.FLAGS[flag.flag].kind == "statement":
                assert flag.raised is None, f"{flag.flag} is a statement: nobody is accused of it"
        conduct = room.expected(name, subject.tasks[at].strata, episode.submission is not None)
        if conduct is not None:
            known += 1
            assert conduct.due | conduct.open <= set(room.FLAGS)
            raised = {flag.flag for flag in found if flag.raised and conduct.judges(flag.flag)}
            assert raised == conduct.due - conduct.open, f"{name} at {subject.tasks[at].task_id}"
    assert known, f"no solver of {len(solvers)} is of known conduct"


# ------------------------------------------------------------ second opinions


def _questions(subject: Subject) -> Iterator[tuple[int, str, Episode, Question]]:
    """What a judge is asked, with the task's place, the role and the episode."""
    room = subject.suite.room("opinion")
    for (at, _), episode in subject.episodes.items():
        for role in room.ROLES if episode.status not in NEVER_SCORED else ():
            question = room.question(role, subject.tasks[at], episode, subject.materials)
            if question is not None:
                yield at, role, episode, question


@promise
def a_judge_is_shown_an_episode_and_nothing_hidden(subject: Subject) -> None:
    if not subject.suite.has("opinion"):
        return
    room = subject.suite.module("opinion")
    assert subject.suite.module("world") not in _loaded(room), "judging imports the world"
    asked = 0
    for at, role, episode, question in _questions(subject):
        asked += 1
        again = subject.suite.room("opinion").question(
            role, subject.tasks[at], episode, subject.judging_materials()
        )
        assert again is not None
        assert opinion.request(question).sha256 == opinion.request(again).sha256
        assert question.system.strip()
        said = "\n".join(
            [canonical.dumps([event.arguments for event in episode.events]), str(episode.submission)]
        )
        shown = question.system + _text(subject, question.parts)
        if not subject.suite.room("opinion").ROLES[role].reference:
            _check_text(subject, subject.tasks[at], shown, f"the question about {episode.agent}", said)
    assert asked or subject.unjudged, "there is nothing to judge"


@promise
def what_a_judge_says_is_an_opinion_or_none(subject: Subject) -> None:
    """Whatever a judge replies: a word of its role, a number within bounds, or null."""
    if not subject.suite.has("opinion"):
        return
    room = subject.suite.room("opinion")
    for name, role in room.ROLES.items():
        assert re.fullmatch(r"[a-z0-9][a-z0-9_-]*", name), "a role is part of a file's name"
        assert role.doc.strip()
        assert len(set(role.labels)) == len(role.labels) > 0
        assert (role.low is None) == (role.high is None)
        asked = next((question for _, role_of, _, question in _questions(subject) if role_of == name), None)
        if asked is None:  # the role is about tasks of another kind
            continue
        keys = re.findall(r'"(\w+)":', asked.system)
        _check_replies(room, name, role, keys, subject.examples)


def _check_replies(room: rooms.OpinionRoom, name: str, role: Role, keys: list[str], examples: int) -> None:
    values = st.one_of(
        st.sampled_from(role.labels), st.none(), st.booleans(), st.floats(), st.integers(), st.text(), texts()
    )
    objects = st.dictionaries(st.sampled_from([*keys, "other"]), values).map(json.dumps)

    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.one_of(texts(), objects, st.tuples(texts(), objects, texts()).map("".join)))
    def attempt(text: str) -> None:
        opinion = room.opinion(name, text)
        if opinion is None:
            return
        assert opinion.label in role.labels
        assert isinstance(opinion.reason, str)
        opinion.reason.encode()
        if opinion.value is not None:
            assert role.low is not None and role.high is not None
            assert role.low <= opinion.value <= role.high

    attempt()


def texts() -> st.SearchStrategy[str]:
    """Any text that a transport hands over, and deeply nested JSON."""
    return st.one_of(st.text(), st.sampled_from(["[" * 10_000, '{"a":' * 10_000, "{}", "{", "}{", "\ud83d"]))


# ------------------------------------------------------------ calibration and validation


def _measures(subject: Subject, task: Task, materials: Materials) -> list[Measure]:
    room = subject.suite.room("calibration")
    return list(room.calibrate(task, subject.section("calibration"), materials))


def _checks(subject: Subject, materials: Materials) -> dict[str, list[CheckRow]]:
    section = {k: v for k, v in subject.section("validation").items() if k != "checks"}
    room = subject.suite.room("validation")
    return {
        name: list(room.check(name, section, materials)) for name in subject.section("validation")["checks"]
    }


@promise
def every_task_has_the_same_measures(subject: Subject) -> None:
    names = set()
    for task in subject.tasks:
        found = _measures(subject, task, subject.materials)
        if task is subject.tasks[0]:
            assert found == _measures(subject, task, subject.fresh_materials())
        measures = [measure.measure for measure in found]
        assert len(set(measures)) == len(measures)
        names.add(frozenset(measures))
        for measure in found:
            assert measure.value is None or math.isfinite(measure.value)
            assert (measure.value is not None) + bool(measure.label) <= 1, "a number or a label"
    assert len(names) == 1


@promise_of_suite
def checks_pass_when_their_value_lies_in_bounds(subject: Subject) -> None:
    found = _checks(subject, subject.materials)
    assert found == _checks(subject, subject.fresh_materials())
    for name, rows in found.items():
        assert subject.suite.room("validation").CHECKS[name].claim.strip()
        assert rows, f"{name} yields nothing"
        statistics = [row.statistic for row in rows]
        assert len(set(statistics)) == len(statistics)
        for row in rows:
            assert row.check == name
            assert row.reference.strip()
            assert row.low is not None or row.high is not None, f"{name} compares with nothing"
            inside = (row.low is None or row.low <= row.value) and (row.high is None or row.value <= row.high)
            assert row.passed == inside, row


# ------------------------------------------------------------ tables and figures


class _Frames(Mapping[str, Any]):
    """The common tables of what was played, as the stages `tables` and `figures` give them."""

    def __init__(self, subject: Subject, agents: Iterable[str] | None = None, *, judged: bool = True) -> None:
        every = sorted({name for _, name in subject.episodes})
        self._agents = every if agents is None else list(agents)
        self._subject = subject
        self._made: dict[str, pd.DataFrame] = {}

    def __getitem__(self, name: str) -> Any:
        if name == "kinds":
            return dict.fromkeys(self._agents, "solver")
        if name == "fresh":
            return []
        if name == "published":
            path = ROOT / "config" / "published" / f"{self._subject.suite.name}.yaml"
            return [yaml.safe_load(path.read_text(encoding="utf-8"))] if path.exists() else []
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        common = ("tasks", "calibration", "validation", "episodes", "events", "scores", "audit", "opinions")
        return iter((*common, "conducts", "fresh", "kinds", "published"))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def unjudged(self) -> Mapping[str, Any]:
        """The same without a single opinion."""
        return _Unjudged(self)

    def _make(self, name: str) -> pd.DataFrame:
        subject = self._subject
        suite, materials = subject.suite, subject.materials
        if name == "tasks":
            rows = [t.to_row(index) for t, index in zip(subject.tasks, subject.indices, strict=True)]
            return _frame(rows, TASKS)
        if name == "calibration":
            rows = [
                {"suite": t.suite, "task_set": t.task_set, "task_id": t.task_id, **asdict(m)}
                for t in subject.tasks
                for m in sorted(_measures(subject, t, materials), key=lambda m: m.measure)
            ]
            return _frame(rows, CALIBRATION)
        if name == "opinions":
            return self._opinions()
        if name == "conducts":
            return _frame([], CONDUCTS)
        if name == "validation":
            found = itertools.chain.from_iterable(
                sorted(v, key=lambda r: r.statistic) for _, v in sorted(_checks(subject, materials).items())
            )
            return _frame([{"suite": suite.name, **asdict(row)} for row in found], VALIDATION)
        tables: Mapping[str, tuple[Schema, Callable[[Task, Episode], Iterable[Mapping[str, Any]]]]] = {
            "episodes": (EPISODES, lambda t, e: [episode_row(e)]),
            "events": (EVENTS, lambda t, e: event_rows(e)),
            "scores": (SCORES, lambda t, e: score_rows(suite, t, e, materials)),
            "audit": (AUDIT, lambda t, e: flag_rows(suite, t, e, materials)),
        }
        schema, rows_of = tables[name]
        frames = [
            _frame(
                [
                    row
                    for at, task in enumerate(subject.tasks)
                    for row in rows_of(task, subject.episodes[at, agent])
                ],
                schema,
            )
            for agent in self._agents
        ]
        return pd.concat(frames, ignore_index=True)

    def _opinions(self) -> pd.DataFrame:
        """An opinion of each label in turn about every episode, where the suite has a room `opinion`."""
        subject, rows = self._subject, []
        for n, (_, role, e, question) in enumerate(
            _questions(subject) if subject.suite.has("opinion") else ()
        ):
            spec = subject.suite.room("opinion").ROLES[role]
            if e.agent in self._agents:
                case = opinion.Case("judge", role, e.suite, e.task_set, e.task_id, e.agent, e.attempt)
                status = ("given", "given", "given", "stale")[n % 4]
                rows.append(
                    {
                        **vars(case),
                        "status": status,
                        "label": spec.labels[n % len(spec.labels)] if status == "given" else "",
                        "value": spec.low if status == "given" else None,
                        "reason": "",
                        "question_sha256": opinion.request(question).sha256,
                        "tokens_in": 1,
                        "tokens_out": 1,
                    }
                )
        rows.sort(key=lambda row: [row[name] for name in OPINIONS.key])
        return _frame(rows, OPINIONS)


class _Unjudged(_Frames):
    """Common tables, where nobody was asked for an opinion."""

    def __init__(self, judged: _Frames) -> None:
        self._judged = judged

    def __getitem__(self, name: str) -> Any:
        return _frame([], OPINIONS) if name == "opinions" else self._judged[name]


def _frame(rows: Any, schema: Schema) -> pd.DataFrame:
    """Rows as they come back from their table."""
    with tempfile.TemporaryDirectory() as folder:
        write_table(rows, Path(folder) / "table", schema)
        frame: pd.DataFrame = read_frame(Path(folder) / "table", schema)
        return frame


@promise
def own_tables_fit_their_schemas_and_partitions(subject: Subject) -> None:
    every = subject.frames
    some = sorted({name for _, name in subject.episodes})[::2]
    fewer = _Frames(subject, some)
    for name, spec in subject.suite.room("analysis").TABLES.items():
        assert spec.schema.name == name
        assert spec.doc.strip()
        whole = _frame(spec.make(every), spec.schema)
        if spec.schema.partition == "agent":
            part = whole[whole["agent"].isin(some)].reset_index(drop=True)
            # The rows of an agent may not depend on who else was there.
            pd.testing.assert_frame_equal(part, _frame(spec.make(fewer), spec.schema))


@promise
def opinions_are_told_apart(subject: Subject) -> None:
    """A table that rests on opinions has a name that says so; to all others it is the same without them."""
    if not subject.suite.has("opinion"):
        return
    with_judges, without = subject.frames, subject.frames.unjudged()
    for name, spec in subject.suite.room("analysis").TABLES.items():
        if not name.startswith("opinions"):
            pd.testing.assert_frame_equal(spec.make(with_judges), spec.make(without))


@promise
def figures_can_be_drawn_and_said_in_words(subject: Subject) -> None:
    tables = subject.frames
    for name, spec in subject.suite.room("figures").FIGURES.items():
        assert len(spec.alt) >= 20, f"{name}: `alt` says what is to be seen"
        with plotting.style():
            assert spec.draw(tables).get_axes(), f"{name} is empty"
