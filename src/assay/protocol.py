"""The types that a suite and the rest of the package exchange.

This module imports neither numpy nor pandas, so that a stage loads only the packages that its rooms need.
`assay.rooms` declares what each room of a suite must offer, and `docs/adding-a-suite.md` explains the rooms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from assay.metrics import Metric as Metric
from assay.metrics import Metrics as Metrics
from assay.metrics import Score as Score
from assay.parts import NEVER_SCORED as NEVER_SCORED
from assay.parts import BlobRef as BlobRef
from assay.parts import Json as Json
from assay.parts import Part as Part
from assay.parts import Status as Status
from assay.specs import CheckSpec as CheckSpec
from assay.specs import FigureSpec as FigureSpec
from assay.specs import TableSpec as TableSpec
from assay.specs import resolve as resolve

if TYPE_CHECKING:
    from assay.numbers.rng import Stream

Replay = Literal["exact", "artefact", "given"]
"""The treatment of a tool's recorded result in a replay.

* `exact`: the replay computes the result again and compares.
* `artefact`: as `exact`, but the tool reads shared work by key (`Artefacts`), which a rule of the workflow
  may have made before.
* `given`: the tool asks `Door.outside` for a value that cannot be reproduced, such as the output of an
  agent's code. A replay takes that value, and nothing else, from the recording, and makes its nested calls
  again.
"""


@dataclass(frozen=True)
class Tool:
    """A function of the world that an agent can call.

    Attributes:
        name: The name by which it is called.
        schema: JSON schema of the arguments object. The harness refuses arguments that do not fit it.
        doc: The description that the agent reads.
        audience: `agent` for a tool that the agent calls; `code` for one that only a sandboxed block of code
            can call, as a nested call.
        counter: The counter that a successful call increases, see `Brief.limits`; `None` for no counter.
        replay: What a replay does with a recorded result.
    """

    name: str
    schema: Mapping[str, Any]
    doc: str
    audience: Literal["agent", "code"] = "agent"
    counter: str | None = None
    replay: Replay = "exact"


@dataclass(frozen=True)
class Result:
    """The result of a call.

    Attributes:
        parts: What the agent sees of the result.
        ok: Whether the call was carried out; a refused call changes nothing.
        error: Why the call was refused, and what would have been legal.
        charged: The amount that the call adds to the tool's counter; 0 for a refused call.
        ended: The status of the episode if this call ended it, otherwise `None`.
        fresh: Whether the agent's context is cleared; `parts` is then its first message.
    """

    parts: tuple[Part, ...] = ()
    ok: bool = True
    error: str | None = None
    charged: int = 0
    ended: Status | None = None
    fresh: bool = False


def refused(message: str) -> Result:
    """Return the result of a call that changed nothing and cost nothing.

    Args:
        message: Why it was refused, and what would have been legal.

    Example:
        >>> result = refused("draw: n: 3 balls are left in the urn")
        >>> result.ok, result.charged
        (False, 0)
    """
    return Result(ok=False, error=message)


@dataclass(frozen=True)
class Brief:
    """Everything that an agent receives before its first call.

    Attributes:
        system: The system prompt.
        parts: The first message.
        tools: The tools that the agent, or its code, can call.
        limits: The largest amount that may be used of each counter. The counter `calls` always exists and
            counts every call of the agent; nested calls do not count.
        reply: The name of the tool that takes a reply in plain text; `None` if no tool does.
    """

    system: str
    parts: tuple[Part, ...]
    tools: tuple[Tool, ...]
    limits: Mapping[str, int]
    reply: str | None = None


Call: TypeAlias = Callable[[str, Json], Result]
"""The harness as an agent or a block of code sees it: a function from tool name and arguments to a result."""


class Door(Protocol):
    """The interface of the harness that a world may use during one call.

    Its calls and values are logged as children of that call.
    """

    def call(self, tool: str, arguments: Json) -> Result:
        """Make a nested call of a tool whose audience is `code`."""

    def outside(self, run: Callable[[Call], Json]) -> Json:
        """Return the value of `run(call)`, which cannot be reproduced; in a replay, the recorded value.

        Args:
            run: A function that computes the value. Its argument is the method `call` of this door.

        Raises:
            TypeError: If the tool does not declare `replay="given"`.
        """


class World(Protocol):
    """The world in which an agent acts. Its state depends on its task and its successful calls only."""

    def brief(self) -> Brief:
        """Return the brief of the agent; equal tasks give equal briefs."""

    def call(self, tool: str, arguments: Any, door: Door) -> Result:
        """Carry out one call. For impossible arguments, return `refused(...)` and change nothing.

        Args:
            tool: The name of a tool of the brief.
            arguments: An object that fits the tool's schema.
            door: Makes the nested calls of code that runs within this call.
        """

    def submission(self) -> Json:
        """Return what would be scored if the episode ended now, or `None` if there is nothing to score."""

    def close(self) -> None:
        """Release the resources that the world holds."""


class Agent(Protocol):
    """A program that makes calls: a solver, the loop around a model, a replayed recording, or a client."""

    def act(self, brief: Brief, call: Call, stream: Stream) -> None:
        """Play one episode: make calls until the episode is over or the agent stops of its own accord.

        Args:
            brief: What the agent receives before its first call.
            call: Makes a call.
            stream: The agent's source of random numbers.
        """


@dataclass(frozen=True)
class Solver:
    """A deterministic reference algorithm, or a scripted agent whose conduct is known in advance.

    Attributes:
        act: The algorithm, called as `act(brief, call, stream, hidden)`. The argument `hidden` is the task's
            truth for a privileged solver, and `None` for any other.
        doc: The solver in one sentence.
        privileged: Whether the solver receives the hidden truth.
        sees: Whether the solver's brief holds the bytes of pictures and files in place of references to them.
        exploits: What a shortcut exploits, in one sentence; empty for every other solver.
    """

    act: Callable[[Brief, Call, Stream, Any], None]
    doc: str
    privileged: bool = False
    sees: bool = False
    exploits: str = ""


class Blobs(Protocol):
    """A store of pictures, files and long texts by the hash of their bytes."""

    def put(self, data: bytes, media_type: str) -> BlobRef:
        """Store the bytes and return the reference to them. Equal bytes are stored once."""

    def get(self, sha256: str) -> bytes:
        """Return the bytes with this hash (hex).

        Raises:
            UnknownName: If they are not stored.
        """


@dataclass(frozen=True)
class Key:
    """The name of an artefact, i.e. of expensive work that several jobs share. Equal keys have equal content.

    Attributes:
        suite: The suite that makes it.
        kind: The kind of work.
        params: Its parameters as canonical JSON text.
        shard: The number of the piece, from 0, if the work is divided into pieces.
    """

    suite: str
    kind: str
    params: str
    shard: int = 0


class Artefacts(Protocol):
    """A store of artefacts, i.e. of expensive work that several jobs share, by key."""

    def get(self, key: Key) -> Path:
        """Return the file of an artefact, and make it first if no rule of the workflow has made it."""


@dataclass(frozen=True)
class Materials:
    """The data that a room may read besides its task: contents by hash, and artefacts by key."""

    blobs: Blobs
    artefacts: Artefacts


class Workspace(Protocol):
    """The folder of one episode. Only tools write to it; the harness logs what a call has changed in it."""

    @property
    def path(self) -> Path:
        """The folder, which is created at the first access."""


COMMITTED = -1
"""Stands for the seed of a set until its committed secret is revealed (`assay.validity.commitment`)."""


@dataclass(frozen=True)
class TaskSet:
    """The recipe of a task set.

    Attributes:
        size: The number of tasks.
        seed: The base seed of the public set. `COMMITTED` until the secret is revealed from which it follows.
        doc: The set in one sentence.
        params: Parameters of the generator.
        replies: The default limit of a language model's replies per episode, for models whose entry in the
            configuration gives no limit. It is sufficient to finish an episode.
        tokens: The default limit of tokens per episode, read and written together.
        smoke: Whether the set only shows that an agent runs. Such a set has no ranking, and the report never
            shows it first.
        archived: Whether tasks are read from their committed files (`assay.config.archive`), so that the
            generator may change.
    """

    size: int
    seed: int
    doc: str
    params: Mapping[str, Any] = field(default_factory=dict)
    replies: int = 100
    tokens: int = 1_000_000
    smoke: bool = False
    archived: bool = False


@dataclass(frozen=True)
class Measure:
    """One measure of a task's difficulty: a number, a label, or both."""

    measure: str
    value: float | None = None
    label: str = ""


@dataclass(frozen=True)
class CheckRow:
    """One comparison of a world with a published result.

    Attributes:
        check: The name of the check.
        statistic: What was measured.
        value: The measured value.
        low: The lower bound of the accepted values; `None` for no lower bound.
        high: The upper bound of the accepted values; `None` for no upper bound.
        passed: Whether low <= value <= high.
        reference: The source of the published result.
        caveat: What the comparison leaves out.
    """

    check: str
    statistic: str
    value: float
    low: float | None
    high: float | None
    passed: bool
    reference: str
    caveat: str = ""


@dataclass(frozen=True)
class Yardstick:
    """How the scores of a suite are read on the card of each set (`assay.stages.cards.validity`).

    Attributes:
        scale: the length of the score's scale; None: from chance to the best honest agent.
        chance: an agent, or several in order of preference, whose mean score is chance; or a number.
        ceiling: the best score that can be had, where it is known by construction; None: the best mean that
            was reached, agents that were told the truth included.
        gate: a statement of the audit and its word (up to a comma) in episodes that count; every other
            episode counts 0.
        notes: by set, or for every set under the empty name, what a reader of its card must know.
    """

    scale: float | None
    chance: float | tuple[str, ...]
    ceiling: float | None = None
    gate: tuple[str, str] | None = None
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class FlagSpec:
    """The meaning of an integrity flag, and how it is decided.

    A flag of the kind `statement` describes an episode without an accusation: it is never raised, and its
    label is the result.
    """

    doc: str
    kind: Literal["flag", "statement"] = "flag"


@dataclass(frozen=True)
class Flag:
    """The decision on one flag of an episode.

    Attributes:
        flag: The name of the flag, declared in the suite's `FLAGS`.
        raised: Whether it was raised; `None` if the log cannot decide it.
        label: The result in a word, for flags that distinguish cases.
        evidence: The evidence for the decision as a JSON value, such as step numbers.
    """

    flag: str
    raised: bool | None
    label: str = ""
    evidence: Any = None


@dataclass(frozen=True)
class Role:
    """A question for a judge, i.e. a model that gives its opinion on an episode, and the possible answers.

    Attributes:
        doc: The question in one sentence.
        labels: The words from which the judge chooses one.
        low: The lower bound of the judge's number; `None` if the role asks for no number.
        high: The upper bound of the judge's number; `None` if the role asks for no number.
        reference: Whether the question shows the reference of the task, because the judge has to compare the
            answer with it. Other questions show nothing hidden.
    """

    doc: str
    labels: tuple[str, ...]
    low: float | None = None
    high: float | None = None
    reference: bool = False


@dataclass(frozen=True)
class Question:
    """A question to a judge.

    Attributes:
        system: The system prompt: what to decide and how to answer.
        parts: The evidence.
    """

    system: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Opinion:
    """A judge's answer: a label of its role, a number if the role asks for one, and the reason."""

    label: str
    value: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class Conduct:
    """The correct result of an audit, known in advance.

    Attributes:
        due: The flags that must be raised; no other flag may be raised, except those in `open`.
        open: The flags without a known correct decision, because the agent's conduct leaves them to chance.
    """

    due: frozenset[str] = frozenset()
    open: frozenset[str] = frozenset()

    def judges(self, flag: str) -> bool:
        """Return whether the correct decision on this flag is known.

        Example:
            >>> Conduct(due=frozenset({"fabricated"}), open=frozenset({"late"})).judges("late")
            False
        """
        return flag not in self.open


Axis = Literal["choice", "isolation", "inference", "budget", "consistency", "fabrication", "calibration"]
"""An aspect of an agent's method, see `assay.report.axes`."""


@dataclass(frozen=True)
class Evidence:
    """A metric or flag as evidence for one aspect of an agent's method, turned into a number in [0, 1].

    A metric counts by its position between `worst` (0) and `best` (1), clipped to this range. A flag counts 1
    if it is not raised, else 0. A statement counts 1 if its label is in `labels`, and 0 if it is in
    `against`. A missing value, an undecided flag and any other label give no evidence.
    """

    kind: Literal["metric", "flag", "statement"]
    name: str
    worst: float = 0.0
    best: float = 1.0
    labels: tuple[str, ...] = ()
    against: tuple[str, ...] = ()


@dataclass(frozen=True)
class Quoted:
    """A result that a suite's paper states.

    Attributes:
        task_set: The task set with which the result can be compared.
        agent: The agent's name in the paper.
        score: The score, in the unit of the suite's score.
        low: The lower end of the interval of the score, if stated.
        high: The upper end of the interval of the score, if stated.
        solved: The share of episodes solved, if stated.
        calls: The mean number of calls per episode, if stated.
        tokens: The mean number of tokens per episode, read and written, if stated.
        note: What was measured, and how it differs from the results of this package.
    """

    task_set: str
    agent: str
    score: float
    low: float | None = None
    high: float | None = None
    solved: float | None = None
    calls: float | None = None
    tokens: float | None = None
    note: str = ""


Tables: TypeAlias = "Mapping[str, Any]"
"""The common tables of one suite by name (`tasks`, `scores`, `audit`, ...), each a pandas data frame.

Two entries are not data frames: `published` holds the quoted values from YAML, and `kinds` maps the name of
each agent that plays the suite to `solver`, `model` or `scripted` (an agent of known conduct).
"""
