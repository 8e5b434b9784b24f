"""The words that cross the border between the spine and a suite.

This module imports neither numpy nor pandas, so that a stage pays only for the room it calls.
What each room of a suite must offer is listed in `assay.suite`; `docs/adding-a-suite.md` tells it as a story.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

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
    from assay.episode import Episode
    from assay.numbers.rng import Stream
    from assay.task import Task

Replay = Literal["exact", "artefact", "given"]
"""What a replay does with a recorded result.

`exact`: makes it again and compares. `artefact`: the same, with shared work fetched by key where it exists.
`given`: the tool asks `Door.outside` for what nobody can make again (the output of an agent's code); a
replay takes that value, and nothing else, from the recording, and makes its nested calls again.
"""


@dataclass(frozen=True)
class Tool:
    """Something an agent can call.

    `schema` is a JSON schema of the arguments object, `doc` what the agent is told. A tool behind the
    `code` door is reachable only from inside a sandboxed block of code, as a nested call. `counter` names
    what a successful call draws on (see `Brief.limits`).
    """

    name: str
    schema: Mapping[str, Any]
    doc: str
    audience: Literal["agent", "code"] = "agent"
    counter: str | None = None
    replay: Replay = "exact"


@dataclass(frozen=True)
class Result:
    """What a call gave back: `parts` to show, or `error` where `ok` is false.

    `charged` is drawn from the tool's counter (0 for a refused call). `ended` says that the episode is over
    and how. `fresh` says that the agent's context starts anew and `parts` are its first message.
    """

    parts: tuple[Part, ...] = ()
    ok: bool = True
    error: str | None = None
    charged: int = 0
    ended: Status | None = None
    fresh: bool = False


def refused(message: str) -> Result:
    """A call that changed nothing and cost nothing, with what would have been legal."""
    return Result(ok=False, error=message)


@dataclass(frozen=True)
class Brief:
    """All that an agent is told before its first call.

    `limits` maps a counter to the most that may be drawn from it; the counter `calls` (every call at the
    agent's door) exists always. `reply` names the tool that takes a reply in plain text.
    """

    system: str
    parts: tuple[Part, ...]
    tools: tuple[Tool, ...]
    limits: Mapping[str, int]
    reply: str | None = None


Call: TypeAlias = Callable[[str, Json], Result]
"""The harness as an agent or a block of code sees it: tool and arguments in, result out."""


class Door(Protocol):
    """The harness as a world sees it during one call: what comes through it is logged below that call."""

    def call(self, tool: str, arguments: Json) -> Result:
        """A nested call of a tool behind the `code` door."""

    def outside(self, run: Callable[[Call], Json]) -> Json:
        """The value of `run(call)`, which cannot be reproduced; a replay gives back the recorded one.

        `run` gets this door's `call`. Only tools that declare `replay="given"` may ask.
        """


class World(Protocol):
    """What an agent acts in: a function of its task and its successful calls, and of nothing else."""

    def brief(self) -> Brief:
        """What the agent is told first; the same for the same task."""

    def call(self, tool: str, arguments: Any, door: Door) -> Result:
        """Execute one call whose arguments fit the tool's schema; `door` takes calls made by code in it.

        Total: impossible arguments give `refused(...)` and change nothing.
        """

    def submission(self) -> Json:
        """What would be scored if the episode ended now; null where there is nothing."""

    def close(self) -> None:
        """Release what the world holds."""


class Agent(Protocol):
    """Who sits at the harness: a solver, the loop around a model, a recording, a client of a server."""

    def act(self, brief: Brief, call: Call, stream: Stream) -> None:
        """Play one episode by calling until it is over or the agent has had enough."""


@dataclass(frozen=True)
class Solver:
    """A reference algorithm, or a scripted agent of known conduct; deterministic.

    `act(brief, call, stream, hidden)`: `hidden` is the task's truth where the solver is `privileged`,
    else null. A solver that `sees` finds the bytes of its brief's contents in place of their references.
    """

    act: Callable[[Brief, Call, Stream, Any], None]
    doc: str
    privileged: bool = False
    sees: bool = False


class Blobs(Protocol):
    """Contents by hash."""

    def put(self, data: bytes, media_type: str) -> BlobRef:
        """Keep these bytes; equal bytes are kept once."""

    def get(self, sha256: str) -> bytes:
        """The bytes of that hash; `UnknownName` where they are not kept."""


@dataclass(frozen=True)
class Key:
    """The name of shared expensive work: equal keys, equal content.

    `params` is canonical JSON text.
    """

    suite: str
    kind: str
    params: str
    shard: int = 0


class Artefacts(Protocol):
    """Shared expensive work by key."""

    def get(self, key: Key) -> Path:
        """The file of that key; made on the spot where no rule made it before."""


@dataclass(frozen=True)
class Materials:
    """What a room may draw on besides its task: contents by hash and shared expensive work."""

    blobs: Blobs
    artefacts: Artefacts


class Workspace(Protocol):
    """A folder for one episode, written only through tools; the harness logs what a call changed in it."""

    @property
    def path(self) -> Path:
        """The folder; it comes into being when first asked for."""


@dataclass(frozen=True)
class TaskSet:
    """How the tasks of one set are generated: `size` tasks from the base seed `seed`.

    `replies` and `tokens` (read and written) are what a language model needs to play an episode to its end;
    they limit a model whose entry in the configuration says nothing else. A `smoke` set shows that an agent
    runs, not how well: nobody leads it, and it never stands first in the report. The tasks of an `archived`
    set are read from their committed files (`assay.config.archive`), so its generator may change.
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
    """One number or label about how hard a task is."""

    measure: str
    value: float | None = None
    label: str = ""


@dataclass(frozen=True)
class CheckRow:
    """One comparison of a world with a published result: `passed` says whether low <= value <= high.

    A bound that does not exist is null; `reference` is the source, `caveat` what the comparison leaves out.
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
class Metric:
    """What a score means: its unit, its range and whether more is better."""

    doc: str
    unit: str
    low: float | None
    high: float | None
    direction: Literal["higher", "lower", "neither"] = "higher"
    headline: bool = False


@dataclass(frozen=True)
class Score:
    """One metric of an episode; `value` null where it does not apply, `step` null for the final one."""

    metric: str
    value: float | None
    label: str = ""
    profile: str = "default"
    step: int | None = None


@dataclass(frozen=True)
class FlagSpec:
    """What an integrity flag means, and from what it is decided.

    A `statement` is no accusation: it is never raised, and its label is the finding.
    """

    doc: str
    kind: Literal["flag", "statement"] = "flag"


@dataclass(frozen=True)
class Flag:
    """One flag of an episode: raised or not, null where it cannot be decided, with its evidence."""

    flag: str
    raised: bool | None
    label: str = ""
    evidence: Any = None


@dataclass(frozen=True)
class Role:
    """What a judge is asked about an episode, and what it may answer.

    `labels` are the words for its finding; `low` and `high` bound its number, both null where it gives none.
    """

    doc: str
    labels: tuple[str, ...]
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Question:
    """What a judge is shown of an episode: what it shall decide and how it shall answer, and the evidence."""

    system: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Opinion:
    """What a judge said: one of its role's labels, its number where the role asks for one, its reason."""

    label: str
    value: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class Conduct:
    """What is known beforehand of an episode: exactly which flags the audit must raise.

    Flags in `open` are not judged: the conduct leaves to chance whether they are due.
    """

    due: frozenset[str] = frozenset()
    open: frozenset[str] = frozenset()

    def judges(self, flag: str) -> bool:
        """Whether it is known if that flag is due."""
        return flag not in self.open


Axis = Literal["choice", "isolation", "inference", "budget", "consistency", "fabrication", "calibration"]
"""One side of an agent's method, see `assay.report.axes`."""


@dataclass(frozen=True)
class Evidence:
    """What is logged of an episode and speaks for one side of its agent's method, as a number in [0, 1].

    A metric: its value on the way from `worst` to `best`, cut there. A flag: 1 where it is not raised, 0
    where it is. A statement: 1 where its label is one of `labels`, 0 where it is one of `against`. Null where
    nothing is logged or decided.
    """

    kind: Literal["metric", "flag", "statement"]
    name: str
    worst: float = 0.0
    best: float = 1.0
    labels: tuple[str, ...] = ()
    against: tuple[str, ...] = ()


@dataclass(frozen=True)
class Quoted:
    """A result as the paper states it, in the unit of the suite's score; `note` says what it is of."""

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

Two names hold something else: `published` the list of quoted YAML values, and `kinds` a mapping from the name
of each agent that plays the suite to what it is: `solver`, `model` or `scripted` (an agent of known conduct).
"""


Scoring: TypeAlias = "Callable[[Task, Episode, Materials], Iterable[Score]]"
Auditing: TypeAlias = "Callable[[Task, Episode, Materials], Iterable[Flag]]"
