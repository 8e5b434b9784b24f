"""A configured model in the place of a stage's rules. What it proposes is checked; what it may not do is not.

Where a reply cannot be used, the rules decide, and the stage says so: never silently.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.agents import configured
from assay.agents.connection import connect
from assay.agents.model import writable
from assay.agents.player import Player
from assay.agents.ratelimit import RateLimit
from assay.agents.transport import TransportError
from assay.config.agents import JudgeEntry, ModelEntry
from assay.config.models import Config
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.identity import Identity
from assay.errors import UnknownName
from assay.protocol import Question, TaskSet
from assay.sessions.opinion import json_object, request
from assay.suites.sgi.families import DISCIPLINES, FAMILIES
from assay.suites.sgi.lab.evaluation.metric import MetricSpec
from assay.suites.sgi.lab.evaluation.metric_plan import by_aims
from assay.suites.sgi.lab.evaluation.query import Intent, Query, table, understand

STAGES = ("select", "metrics", "judge", "summary")
"""Where a model may stand in: select and choose metrics, judge by rubrics, write the report's summary."""


@dataclass
class StandIn:
    """A model that is asked for one stage, and what came of it."""

    stage: str
    name: str
    player: Player
    entry: ModelEntry | JudgeEntry
    limit: RateLimit
    outcomes: list[str] = field(default_factory=list)
    tokens_in: int = 0
    tokens_out: int = 0

    def ask(self, system: str, shown: str) -> str:
        """Its reply; empty where none can be had."""
        live = connect(
            self.player,
            Identity(self.name, "sgi", "evaluation", self.stage, 0),
            MemoryBlobs(),
            configured.endpoint(self.entry),
        )
        asked = request(Question(system, (shown,)))
        try:
            reply = writable(self.limit.ask(lambda: live.ask(asked)))
        except TransportError as problem:
            self.outcomes.append(f"transport: {problem}")
            return ""
        self.tokens_in += reply.tokens_in
        self.tokens_out += reply.tokens_out
        return reply.text if reply.stop == "end" else ""

    def note(self, outcome: str) -> None:
        """Say what became of a reply."""
        self.outcomes.append(outcome)

    def facts(self) -> dict[str, Any]:
        """Which model stands in: a JSON value."""
        return {
            "name": self.name,
            "transport": self.entry.transport.model_dump(mode="json"),
            "decoding": self.entry.decoding.model_dump(exclude_none=True),
        }


def stand_in(config: Config, stage: str, name: str) -> StandIn:
    """The model of that name in the configuration, a player or a judge, for one stage."""
    if stage not in STAGES:
        raise UnknownName(f"no model can stand in for {stage!r}", f"the stages are {', '.join(STAGES)}")
    entry: Any = config.judges.get(name) or config.agents.get(name)
    if not isinstance(entry, ModelEntry | JudgeEntry):
        known = sorted({*config.judges, *(n for n, e in config.agents.items() if e.kind == "model")})
        raise UnknownName(
            f"the configuration has no model {name!r}", f"its models are {', '.join(known) or 'none yet'}"
        )
    problem = configured.missing_key(name, entry)
    if problem is not None:
        raise problem
    player = (
        configured.judge(entry)
        if isinstance(entry, JudgeEntry)
        else configured.player(entry, TaskSet(1, 0, ""))
    )
    return StandIn(stage, name, player, entry, configured.limit(entry, 0, 0))


# ------------------------------------------------------------ selection


def interpreted(helper: StandIn, query: Query, types: Mapping[str, Sequence[str]]) -> Intent:
    """The intent of a query as a model reads it; what the user gave beside the text holds all the same."""
    ruled = understand(query, types)
    known: dict[str, tuple[str, ...]] = {
        "families": FAMILIES,
        "disciplines": DISCIPLINES,
        "types": tuple(sorted({kind for kinds in types.values() for kind in kinds})),
        "levels": tuple(table("levels")),
        "aims": tuple(table("aims")),
    }
    listed = "\n".join(f"{name}: {', '.join(values)}" for name, values in known.items())
    system = (
        "You turn a question about a benchmark into filters. Reply with one JSON object; each key holds a "
        "list of these values and no others (an empty list: any), and `n` a number or null.\n" + listed
    )
    said = json_object(helper.ask(system, query.text))
    if said is None:
        helper.note("unreadable: the rules decided")
        return ruled
    chosen = {name: _among(said.get(name), values) for name, values in known.items()}
    dropped = sorted(
        str(value)
        for name, values in known.items()
        for value in _listed(said.get(name))
        if value not in values
    )
    n = said.get("n")
    found = Intent(
        query.families or chosen["families"],
        query.disciplines or chosen["disciplines"],
        query.types or chosen["types"],
        query.levels or chosen["levels"],
        chosen["aims"],
        query.n
        if query.n is not None
        else n
        if isinstance(n, int) and not isinstance(n, bool) and n > 0
        else None,
    )
    if found.empty():
        helper.note("it named nothing known: the rules decided")
        return ruled
    helper.note("used" + (f", without the unknown {', '.join(dropped)}" if dropped else ""))
    return found


def _among(said: Any, known: Sequence[str]) -> tuple[str, ...]:
    return tuple(value for value in known if value in _listed(said))


def _listed(said: Any) -> list[Any]:
    return said if isinstance(said, list) else []


# ------------------------------------------------------------ metrics


def chosen_metrics(helper: StandIn, intent: Intent, offered: Sequence[MetricSpec]) -> list[str]:
    """The metrics that a model takes for an intent; the rules' where it names none that there is."""
    listed = "\n".join(f"{spec.id}: {spec.title}" for spec in offered)
    system = (
        'You choose metrics for an evaluation. Reply with one JSON object {"metrics": [ids]}, of these:\n'
        + listed
    )
    said = json_object(helper.ask(system, json.dumps({"aims": intent.aims, "families": intent.families})))
    ids = _among((said or {}).get("metrics"), [spec.id for spec in offered])
    if not ids:
        helper.note("no metric that there is: the rules decided")
        return by_aims(intent, offered)
    helper.note("used")
    return list(ids)


# ------------------------------------------------------------ summary

NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?")


def summary(helper: StandIn, report: Mapping[str, Any]) -> str:
    """A model's words on a report; empty where it states a number that is not in the report."""
    system = (
        "You summarise an evaluation in at most five sentences, for somebody who will read its tables next. "
        "Use no number that is not in the data. Reply with plain text."
    )
    text = helper.ask(system, json.dumps(report, ensure_ascii=False)).strip()
    if not text:
        helper.note("no summary")
        return ""
    if strange := invented(text, report):
        helper.note(f"rejected: it states {', '.join(strange)}, which the report does not")
        return ""
    helper.note("used")
    return text


def invented(text: str, report: Any) -> list[str]:
    """The numbers of a text that are in no form the report's."""
    known: set[str] = set()
    for number in _numbers(report):
        for value in (number, 100 * number):
            known.update({f"{value:g}", *(f"{value:.{digits}f}" for digits in range(5))})
    return [
        found
        for found in dict.fromkeys(match.group().replace(",", ".") for match in NUMBER.finditer(text))
        if found.lstrip("+") not in known
    ]


def _numbers(value: Any) -> Iterable[float]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, str):
        yield from (float(m.group().replace(",", ".")) for m in NUMBER.finditer(value))
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _numbers(str(key))
            yield from _numbers(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _numbers(inner)
