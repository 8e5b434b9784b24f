"""What a reply says about how it came about: beside the score, never in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.episode import Episode
from assay.protocol import Conduct, Flag, FlagSpec, Materials
from assay.suites.sgi.columns.wet_experiment import decoy_use
from assay.suites.sgi.items import Row, item_of
from assay.suites.sgi.metrics.protocols import references
from assay.suites.sgi.text.program import parse
from assay.task import Task

FLAGS: Mapping[str, FlagSpec] = {
    "no_answer": FlagSpec("nothing was answered, or nothing that can be read"),
    "answer_without_work": FlagSpec(
        "wet: two steps or more, and none uses what another made: a list of actions, not a protocol"
    ),
    "decoys_copied": FlagSpec("wet: at least half of the steps are actions that nobody needs"),
    "parsing": FlagSpec("what was odd about the form of the reply", kind="statement"),
}

CONDUCT: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "wet_experiment": {
        "oracle": (),
        "planner": (),
        "renamed": (),
        "wrong-doses": (),
        "last-missing": (),
        "extra-first": (),
        "literals-for-references": ("answer_without_work",),
        "decoys-only": ("answer_without_work", "decoys_copied"),
        "empty": ("no_answer",),
    },
}
"""Of each family: agents of known conduct, and exactly the flags that each must raise."""


def expected(agent: str, strata: Mapping[str, str], answered: bool) -> Conduct | None:
    """What must be raised in an episode of an agent of known conduct; null for other agents."""
    known = CONDUCT.get(strata["family"], {})
    return Conduct(frozenset(known[agent])) if agent in known else None


def audit(task: Task, episode: Episode, materials: Materials) -> Iterable[Flag]:
    """Every flag of one episode; null where a family has no such thing."""
    reply = episode.submission if isinstance(episode.submission, str) else ""
    yield from _wet(item_of(task), reply)


def _wet(item: Row, reply: str) -> Iterable[Flag]:
    program = parse(reply)
    yield Flag("parsing", None, ", ".join(program.issues))
    yield Flag("no_answer", not program.steps)
    producers, _ = references(program)
    refers = any(_refers(found) for step in producers for found in step.values())
    yield Flag("answer_without_work", len(program.steps) > 1 and not refers)
    used = decoy_use(item, program) or 0.0
    yield Flag("decoys_copied", used >= 0.5, evidence={"decoy_use": used})


def _refers(found: object) -> bool:
    if isinstance(found, tuple):
        return any(part is not None for part in found)
    return found is not None
