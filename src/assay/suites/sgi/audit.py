"""What a reply says about how it came about: beside the score, never in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.episode import Episode
from assay.protocol import Conduct, Flag, FlagSpec, Materials
from assay.suites.sgi.columns.dry_experiment import passes
from assay.suites.sgi.columns.wet_experiment import decoy_use
from assay.suites.sgi.dry.runs import answered_code, patched, run
from assay.suites.sgi.dry.verdict import same_output
from assay.suites.sgi.items import Row, item_of
from assay.suites.sgi.metrics.dry_runs import TESTS
from assay.suites.sgi.metrics.protocols import references
from assay.suites.sgi.metrics.reasoning import letter, matched_readings
from assay.suites.sgi.text.contracts import choice, json_object
from assay.suites.sgi.text.program import parse
from assay.task import Task

FLAGS: Mapping[str, FlagSpec] = {
    "no_answer": FlagSpec("nothing was answered, or nothing that can be read"),
    "answer_without_work": FlagSpec(
        "wet: two steps or more, and none uses what another made: a list of actions, not a protocol; dry: a "
        "function that looks at none of its parameters, or a hole left open; reasoning: an option without a "
        "single reading"
    ),
    "special_cases_tests": FlagSpec(
        "dry: passes all five tests and fails one on data of the same kind that nobody has seen"
    ),
    "decoys_copied": FlagSpec("wet: at least half of the steps are actions that nobody needs"),
    "right_answer_wrong_steps": FlagSpec(
        "reasoning: the right option above readings of which fewer than half are right"
    ),
    "right_steps_wrong_answer": FlagSpec("reasoning: a wrong option below readings that are all right"),
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
    "dry_experiment": {
        "oracle": (),
        "recall": (),
        "mutant": (),
        "memoriser": ("special_cases_tests",),
        "idle": ("answer_without_work",),
        "unfilled": ("answer_without_work",),
        "chance": ("answer_without_work",),
    },
    "experimental_reasoning": {
        "oracle": (),
        "error-model": ("right_steps_wrong_answer",),
        "lucky": ("right_answer_wrong_steps",),
        "letter-only": ("answer_without_work", "right_answer_wrong_steps"),
        "flood": (),
        "beyond": ("right_steps_wrong_answer",),
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
    item = item_of(task)
    if task.public["family"] == "experimental_reasoning":
        yield from _reasoning(item, reply)
        return
    yield from _wet(item, reply) if task.public["family"] == "wet_experiment" else _dry(item, reply)
    yield Flag("right_answer_wrong_steps", None)
    yield Flag("right_steps_wrong_answer", None)


def _reasoning(item: Row, reply: str) -> Iterable[Flag]:
    found = choice(reply)
    given = (json_object(reply, ("readings",)) or {}).get("readings")
    right, reported = matched_readings(item["x_readings"], given if isinstance(given, list) else [])
    wanted = len(item["x_readings"])
    correct = found.letter == letter(item["answer"])
    evidence = {"right": right, "given": reported, "asked": wanted}
    yield Flag("parsing", None, found.source)
    yield Flag("no_answer", found.letter is None)
    yield Flag("answer_without_work", found.letter is not None and not reported)
    yield Flag("right_answer_wrong_steps", correct and 2 * right < wanted, evidence=evidence)
    answered = found.letter is not None
    yield Flag("right_steps_wrong_answer", answered and not correct and right == wanted, evidence=evidence)
    yield Flag("decoys_copied", None)
    yield Flag("special_cases_tests", None)


def _wet(item: Row, reply: str) -> Iterable[Flag]:
    program = parse(reply)
    yield Flag("parsing", None, ", ".join(program.issues))
    yield Flag("no_answer", not program.steps)
    producers, _ = references(program)
    refers = any(_refers(found) for step in producers for found in step.values())
    yield Flag("answer_without_work", len(program.steps) > 1 and not refers)
    used = decoy_use(item, program) or 0.0
    yield Flag("decoys_copied", used >= 0.5, evidence={"decoy_use": used})
    yield Flag("special_cases_tests", None)


def _dry(item: Row, reply: str) -> Iterable[Flag]:
    names = tuple(item["incomplete_functions"])
    program = patched(item["incomplete_main_code"], names, reply, False)
    answered = bool(answered_code(reply).strip())
    yield Flag("parsing", None, program.issue, {"unfilled": list(program.unfilled)})
    yield Flag("no_answer", not answered)
    yield Flag("answer_without_work", answered and bool(program.idle), evidence={"idle": list(program.idle)})
    yield Flag("decoys_copied", None)
    yield Flag("special_cases_tests", not program.unfilled and _special_cases(item, program.code))


def _special_cases(item: Row, code: str) -> bool:
    """Whether a program fails on held-out data though it passes every test."""
    held = item["x_held_out"]
    done = run(code, held["data"])
    if done.exit_zero and same_output(held["output"], done.stdout, item["x_compare"]):
        return False
    return all(passes(item, k, run(code, item[f"unit_test_{k}_data"])) for k in range(TESTS))


def _refers(found: object) -> bool:
    if isinstance(found, tuple):
        return any(part is not None for part in found)
    return found is not None
