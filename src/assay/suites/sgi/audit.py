"""What a reply says about how it came about: beside the score, never in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from assay.config import yaml
from assay.episode import Episode
from assay.protocol import Conduct, Flag, FlagSpec, Materials
from assay.suites.sgi.columns import deep_research, idea_generation
from assay.suites.sgi.columns.dry_experiment import passes
from assay.suites.sgi.columns.wet_experiment import decoy_use
from assay.suites.sgi.dry.runs import answered_code, patched, run
from assay.suites.sgi.dry.verdict import same_output
from assay.suites.sgi.families import Family
from assay.suites.sgi.frame.registry import family_of
from assay.suites.sgi.frame.tasks import GENERATION, is_v1
from assay.suites.sgi.items import Row, item_of
from assay.suites.sgi.metrics import ideas
from assay.suites.sgi.metrics.dry_runs import TESTS
from assay.suites.sgi.metrics.protocols import references
from assay.suites.sgi.metrics.reasoning import letter, matched_readings
from assay.suites.sgi.text.contracts import choice, json_object, tagged
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
    "answer_without_retrieval": FlagSpec(
        "deep research with a literature: a right answer, and no document of the gold steps was opened"
    ),
    "right_answer_wrong_steps": FlagSpec(
        "deep research, reasoning: a right answer, and less than half of the steps or readings right"
    ),
    "right_steps_wrong_answer": FlagSpec(
        "deep research, reasoning: a wrong answer, and all steps or readings right"
    ),
    "keyword_stuffing": FlagSpec("ideas: keywords fill more than 30 % of the idea"),
    "copied_idea": FlagSpec("ideas: the idea is all but the text of a known work"),
    "decoys_copied": FlagSpec("wet: at least half of the steps are actions that nobody needs"),
    "parsing": FlagSpec("what was odd about the form of the reply", kind="statement"),
}

DATA_FILES = ("conduct.yaml",)

CONDUCT: Mapping[str, Mapping[str, Sequence[str]]] = yaml.read(Path(__file__).with_name(DATA_FILES[0]))
"""By family: agents of known conduct, and exactly the flags that each must raise."""

NEAR_COPY = 1.0
"""Of 10: an idea whose nearest known work is nearer than that is a copy (cosine above 0.9)."""


def expected(agent: str, strata: Mapping[str, str], answered: bool) -> Conduct | None:
    """What must be raised in an episode of an agent of known conduct; null for other agents."""
    family = strata["family"]
    known = CONDUCT.get(family, {})
    if agent not in known:
        return None
    # Words drawn by chance are an idea of version 0, and no plan that can be carried out in version 1.
    no_plan = (family, agent, strata.get("generation")) == ("idea_generation", "chance", GENERATION)
    if not answered or no_plan:
        return Conduct(frozenset({"no_answer"}))
    beyond = {"answer_without_retrieval"} if strata.get("arm") != "agent" else set()
    return Conduct(frozenset(known[agent]) - beyond)


def audit(task: Task, episode: Episode, materials: Materials) -> Iterable[Flag]:
    """Every flag of one episode; null where a family has no such thing."""
    reply = episode.submission if isinstance(episode.submission, str) else ""
    item = item_of(task)
    if is_v1(item):
        decided = family_of(task.public["family"]).audit(item, reply)
        found = {name: Flag(name, raised) for name, raised in decided.items()}
    else:
        family: Family = task.public["family"]
        found = {flag.flag: flag for flag in DECIDED[family](item, reply, task, episode)}
    yield from (found.get(name, Flag(name, None)) for name in FLAGS)


def _wet(item: Row, reply: str, task: Task, episode: Episode) -> Iterable[Flag]:
    program = parse(reply)
    yield Flag("parsing", None, ", ".join(program.issues))
    yield Flag("no_answer", not program.steps)
    producers, _ = references(program)
    refers = any(_refers(found) for step in producers for found in step.values())
    yield Flag("answer_without_work", len(program.steps) > 1 and not refers)
    used = decoy_use(item, program) or 0.0
    yield Flag("decoys_copied", used >= 0.5, evidence={"decoy_use": used})


def _dry(item: Row, reply: str, task: Task, episode: Episode) -> Iterable[Flag]:
    names = tuple(item["incomplete_functions"])
    program = patched(item["incomplete_main_code"], names, reply, False)
    answered = bool(answered_code(reply).strip())
    yield Flag("parsing", None, program.issue, {"unfilled": list(program.unfilled)})
    yield Flag("no_answer", not answered)
    yield Flag("answer_without_work", answered and bool(program.idle), evidence={"idle": list(program.idle)})
    if "x_held_out" in item:
        yield Flag("special_cases_tests", not program.unfilled and _special_cases(item, program.code))


def _research(item: Row, reply: str, task: Task, episode: Episode) -> Iterable[Flag]:
    found = {value.metric: value for value in deep_research.score(item, reply, "objective")}
    right, accuracy = found["headline"].value == 1, found["sla"].value or 0.0
    yield Flag("parsing", None, found["headline"].label)
    yield Flag("no_answer", not tagged(reply).text)
    if "x_docs" not in item:
        return
    if task.public["arm"] == "agent":
        opened = {e.arguments["doc_id"] for e in episode.events if e.ok and e.tool in ("open", "table")}
        needed = {*item["x_docs"], *item["x_docs_read"]}
        evidence = {"opened": len(opened), "needed": len(needed), "both": len(opened & needed)}
        yield Flag("answer_without_retrieval", right and not opened & needed, evidence=evidence)
    yield Flag("right_answer_wrong_steps", right and accuracy < 0.5, evidence={"sla": accuracy})
    yield Flag("right_steps_wrong_answer", not right and accuracy == 1, evidence={"sla": accuracy})


def _ideas(item: Row, reply: str, task: Task, episode: Episode) -> Iterable[Flag]:
    found, issues = ideas.parse(reply)
    idea = str((found or {}).get("Idea") or "")
    _, nearest, label = idea_generation.objective_parts(item, reply, "objective")
    yield Flag("parsing", None, ", ".join(issues))
    yield Flag("no_answer", not idea.strip())
    yield Flag("keyword_stuffing", "stuffed" in label.split(", "))
    yield Flag("copied_idea", bool(idea.strip()) and nearest < NEAR_COPY, evidence={"novelty_nn": nearest})


def _reasoning(item: Row, reply: str, task: Task, episode: Episode) -> Iterable[Flag]:
    found = choice(reply)
    answered, correct = found.letter is not None, found.letter == letter(item["answer"])
    yield Flag("parsing", None, found.source)
    yield Flag("no_answer", not answered)
    if "x_readings" not in item:
        return
    given = (json_object(reply, ("readings",)) or {}).get("readings")
    right, reported = matched_readings(item["x_readings"], given if isinstance(given, list) else [])
    wanted = len(item["x_readings"])
    evidence = {"right": right, "given": reported, "asked": wanted}
    yield Flag("answer_without_work", answered and not reported)
    yield Flag("right_answer_wrong_steps", correct and 2 * right < wanted, evidence=evidence)
    yield Flag("right_steps_wrong_answer", answered and not correct and right == wanted, evidence=evidence)


DECIDED: Mapping[Family, Callable[[Row, str, Task, Episode], Iterable[Flag]]] = {
    "wet_experiment": _wet,
    "dry_experiment": _dry,
    "deep_research": _research,
    "idea_generation": _ideas,
    "experimental_reasoning": _reasoning,
}
"""Of each family the flags that it can decide."""


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
