"""A suite that breaks a promise is found out: the made-up suite, spoilt in one way at a time."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from assay.episode import Episode
from assay.errors import TaskError
from assay.protocol import (
    Blobs,
    CheckRow,
    Door,
    Flag,
    Key,
    Materials,
    Opinion,
    Question,
    Result,
    Score,
    TableSpec,
    TaskSet,
)
from assay.report.blocks import Drawing, Figure, Text
from assay.suite import Suite
from assay.task import Task
from tests.protocol import conformance as promises
from tests.protocol.conformance import Promise
from tests.protocol.madeup import (
    analysis,
    artefacts,
    audit,
    opinion,
    scoring,
    settings,
    tasks,
    validation,
    viewer,
    world,
)
from tests.protocol.madeup.tables import answers as answer_tables
from tests.protocol.test_conformance import MADEUP

Patch = pytest.MonkeyPatch
Spoil = Callable[[Patch], None]
SPOILT: list[tuple[Promise, Spoil]] = []


def breaks(broken: Promise) -> Callable[[Spoil], Spoil]:
    """Mark a way to spoil the suite with the promise that it breaks."""

    def note(spoil: Spoil) -> Spoil:
        SPOILT.append((broken, spoil))
        return spoil

    return note


@pytest.mark.parametrize(("broken", "spoil"), SPOILT, ids=lambda f: f.__name__)
def test_broken(broken: Promise, spoil: Spoil, monkeypatch: Patch) -> None:
    spoil(monkeypatch)
    # A new subject has played nothing yet. The source of the promise decides which sequences of calls are
    # drawn, and among the usual 100 there may be none that meets the fault.
    subject = replace(MADEUP, indices=(0, 1), shrink=False, examples=400)
    with pytest.raises(AssertionError):
        broken(subject)


def patched_call(patch: Patch, change: Callable[[world.Urn, str, Any, Result], Result]) -> None:
    """Let every result of the world go through `change(urn, tool, arguments, result)`."""
    call = world.Urn.call

    def changed(self: world.Urn, tool: str, arguments: Any, door: Door) -> Result:
        return change(self, tool, arguments, call(self, tool, arguments, door))

    patch.setattr(world.Urn, "call", changed)


# ------------------------------------------------------------ rooms


@pytest.mark.parametrize(
    ("room", "text"),
    [
        ("__init__", "from spoilt import world"),
        ("__init__", "import assay.task"),
        ("settings", "import numpy"),
        ("scoring", "from spoilt import answers"),
        ("audit", "import spoilt.world"),
    ],
)
def test_rooms_that_load_too_much(room: str, text: str, tmp_path: Path, monkeypatch: Patch) -> None:
    package = tmp_path / "spoilt"
    package.mkdir()
    for name in ("__init__", "settings", "scoring", "audit", "world"):
        (package / f"{name}.py").touch()
    (package / "answers.py").write_text("import spoilt.world", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    subject = replace(MADEUP, suite=Suite("spoilt", "spoilt"))
    promises.rooms_load_no_more_than_they_need(subject)
    (package / f"{room}.py").write_text(text, encoding="utf-8")
    with pytest.raises(AssertionError):
        promises.rooms_load_no_more_than_they_need(subject)


@breaks(promises.public_functions_say_what_they_return)
def a_function_that_says_nothing(patch: Patch) -> None:
    source = inspect.getsource(audit).replace('"""The flags of one episode', 'assert """')
    patch.setattr(inspect, "getsource", lambda module: source)


@breaks(promises.every_room_offers_what_its_stage_calls)
def no_flags(patch: Patch) -> None:
    patch.delattr(audit, "FLAGS")


@breaks(promises.settings_offer_exactly_what_exists)
def a_table_that_nobody_can_choose(patch: Patch) -> None:
    patch.setitem(dict_of(analysis.TABLES), "more", analysis.TABLES["tiers"])


@breaks(promises.settings_have_defaults_and_refuse_unknown_keys)
def lenient_settings(patch: Patch) -> None:
    class Lenient(settings.Settings, extra="ignore"):
        pass

    patch.setattr(settings, "Settings", Lenient)


def dict_of(mapping: Any) -> dict[str, Any]:
    assert isinstance(mapping, dict)
    return mapping


# ------------------------------------------------------------ tasks


def patched_task(patch: Patch, change: Callable[[Task, int], Task]) -> None:
    generate = tasks.generate

    def changed(task_set: TaskSet, set_name: str, index: int, seed: int, blobs: Blobs) -> Task:
        return change(generate(task_set, set_name, index, seed, blobs), index)

    patch.setattr(tasks, "generate", changed)


@breaks(promises.a_task_depends_on_its_set_its_index_and_the_seed_alone)
def tasks_that_depend_on_their_order(patch: Patch) -> None:
    count = itertools.count()
    patched_task(patch, lambda task, _: replace(task, public={**task.public, "count": next(count)}))


@breaks(promises.a_task_depends_on_its_set_its_index_and_the_seed_alone)
def a_seed_that_is_ignored(patch: Patch) -> None:
    patched_task(patch, lambda task, _: replace(task, hidden={"colours": "rb" * (task.public["balls"] // 2)}))


@breaks(promises.tasks_are_well_formed)
def task_ids_that_descend(patch: Patch) -> None:
    patched_task(patch, lambda task, index: replace(task, task_id=f"urn-{9999 - index}"))


@breaks(promises.frozen_files_are_counted_and_well_formed)
def a_set_that_has_grown(patch: Patch) -> None:
    declared = tasks.SETS["madeup-v0"]
    patch.setitem(tasks.SETS, "madeup-v0", replace(declared, size=declared.size + 1))


@breaks(promises.frozen_files_are_what_the_generator_makes)
def a_generator_that_moved_on(patch: Patch) -> None:
    patched_task(patch, lambda task, _: replace(task, version=2))


@breaks(promises.artefacts_are_announced_and_repeat)
def an_artefact_that_is_not_announced(patch: Patch) -> None:
    patch.setattr(artefacts, "needs", lambda stage, task, agent: ())


@breaks(promises.artefacts_are_announced_and_repeat)
def an_artefact_that_differs(patch: Patch) -> None:
    count, make = itertools.count(), artefacts.make

    def changed(key: Key, materials: Materials, out: Any) -> None:
        make(key, materials, out)
        out.write_text(out.read_text()[:-1] + f",{next(count)}]")

    patch.setattr(artefacts, "make", changed)


@breaks(promises.archived_files_are_whole_and_can_be_played)
def a_suite_that_refuses_its_archived_tasks(patch: Patch) -> None:
    verify = tasks.verify

    def stricter(task: Task) -> None:
        verify(task)
        if task.strata["tier"] not in ("small", "large"):
            raise TaskError("no such tier", "restore it")

    patch.setattr(tasks, "verify", stricter)


@breaks(promises.archived_files_are_whole_and_can_be_played)
def a_world_that_cannot_read_its_archived_tasks(patch: Patch) -> None:
    brief = world.Urn.brief
    patch.setattr(world.Urn, "brief", lambda self: brief(self) if self.task.version else 1 / 0)


@breaks(promises.archived_files_are_whole_and_can_be_played)
def an_archived_set_of_another_size(patch: Patch) -> None:
    early = tasks.SETS["madeup-early"]
    patch.setitem(dict_of(tasks.SETS), "madeup-early", replace(early, size=4))


# ------------------------------------------------------------ the world


@breaks(promises.a_brief_is_complete_and_the_same_twice)
def a_brief_that_changes(patch: Patch) -> None:
    count, brief = itertools.count(), world.Urn.brief
    patch.setattr(world.Urn, "brief", lambda self: replace(brief(self), system=f"Hello {next(count)}."))


@breaks(promises.a_brief_is_complete_and_the_same_twice)
def a_tool_that_takes_anything(patch: Patch) -> None:
    lenient = replace(world.TOOLS[0], schema={"type": "object"})
    patch.setattr(world, "TOOLS", (lenient, *world.TOOLS[1:]))


@breaks(promises.nothing_hidden_is_shown)
def a_result_that_tells(patch: Patch) -> None:
    def tell(urn: world.Urn, tool: str, arguments: Any, result: Result) -> Result:
        return replace(result, parts=({"urn": urn.task.hidden},)) if tool == "manual" else result

    patched_call(patch, tell)


@breaks(promises.nothing_hidden_is_shown)
def a_brief_that_tells(patch: Patch) -> None:
    brief = world.Urn.brief
    patch.setattr(
        world.Urn, "brief", lambda self: replace(brief(self), parts=(f"Psst: {self.task.hidden['colours']}",))
    )


@breaks(promises.worlds_are_total_and_refusals_change_nothing)
def an_error_that_tells(patch: Patch) -> None:
    def tell(urn: world.Urn, tool: str, arguments: Any, result: Result) -> Result:
        return result if result.ok else replace(result, error=f"not with {urn.task.hidden['colours']}")

    patched_call(patch, tell)


@breaks(promises.worlds_are_total_and_refusals_change_nothing)
def a_world_that_crashes_on_what_it_does_not_expect(patch: Patch) -> None:
    def look(self: world.Urn, door: Door, at: int) -> Result:
        return Result((self.task.hidden["colours"][at],), charged=1)

    patch.setattr(world.Urn, "_look", look)


@breaks(promises.worlds_are_total_and_refusals_change_nothing)
def a_refusal_that_costs(patch: Patch) -> None:
    patched_call(patch, lambda urn, tool, _, result: result if result.ok else replace(result, charged=1))


@breaks(promises.worlds_are_total_and_refusals_change_nothing)
def a_refusal_that_changes_the_world(patch: Patch) -> None:
    def spoil(urn: world.Urn, tool: str, arguments: Any, result: Result) -> Result:
        if not result.ok:
            urn.day += 1
        return result

    patched_call(patch, spoil)


@breaks(promises.worlds_are_total_and_refusals_change_nothing)
def a_counter_beyond_its_limit(patch: Patch) -> None:
    patched_call(
        patch, lambda urn, tool, _, result: replace(result, charged=50) if tool == "rest" else result
    )


@breaks(promises.every_solver_comes_to_an_end_at_every_task)
def an_end_without_an_answer(patch: Patch) -> None:
    patched_call(
        patch, lambda urn, tool, _, result: replace(result, ended="done") if tool == "draw" else result
    )


@breaks(promises.an_episode_is_the_same_in_any_company)
def a_world_that_remembers_others(patch: Patch) -> None:
    count = itertools.count()
    patched_call(
        patch, lambda *call: replace(call[-1], parts=(next(count),)) if call[1] == "rest" else call[-1]
    )


# ------------------------------------------------------------ scores, flags and the rest


@breaks(promises.metrics_are_declared_in_full)
def no_metric_solved(patch: Patch) -> None:
    patch.delitem(dict_of(scoring.METRICS), "solved")


def patched_scores(patch: Patch, more: Callable[[], Score]) -> None:
    score = scoring.score
    patch.setattr(scoring, "score", lambda *given: [*score(*given), more()])


@breaks(promises.scores_are_what_their_metrics_declare)
def a_score_out_of_range(patch: Patch) -> None:
    patched_scores(patch, lambda: Score("score", 1.5, profile="generous"))


@breaks(promises.scores_are_what_their_metrics_declare)
def a_score_given_twice(patch: Patch) -> None:
    patched_scores(patch, lambda: Score("solved", 1.0))


@breaks(promises.scores_are_what_their_metrics_declare)
def a_score_that_depends_on_the_hour(patch: Patch) -> None:
    count = itertools.count()
    patched_scores(patch, lambda: Score("drawn", float(next(count)), profile="generous"))


def patched_flags(patch: Patch, change: Callable[[Flag], Flag | None]) -> None:
    found = audit.audit

    def changed(*given: Any) -> Iterator[Flag]:
        return (flag for flag in map(change, found(*given)) if flag)

    patch.setattr(audit, "audit", changed)


@breaks(promises.flags_are_declared_and_raised_by_known_conduct)
def a_blind_audit(patch: Patch) -> None:
    patched_flags(patch, lambda flag: replace(flag, raised=False))


@breaks(promises.flags_are_declared_and_raised_by_known_conduct)
def an_audit_that_suspects_everybody(patch: Patch) -> None:
    patched_flags(patch, lambda flag: replace(flag, raised=True))


@breaks(promises.flags_are_declared_and_raised_by_known_conduct)
def an_audit_that_says_nothing_of_the_innocent(patch: Patch) -> None:
    patched_flags(patch, lambda flag: flag if flag.raised else None)


@breaks(promises.flags_are_declared_and_raised_by_known_conduct)
def a_statement_that_accuses(patch: Patch) -> None:
    patched_flags(patch, lambda flag: replace(flag, raised=False) if flag.flag == "rests_on" else flag)


@breaks(promises.flags_are_declared_and_raised_by_known_conduct)
def an_audit_that_nobody_tests(patch: Patch) -> None:
    patch.setattr(audit, "CONDUCT", {})


@breaks(promises.every_task_has_the_same_measures)
def measures_of_large_urns_only(patch: Patch) -> None:
    from tests.protocol.madeup import calibration

    calibrate = calibration.calibrate

    def changed(task: Task, settings: Any, materials: Materials) -> Any:
        found = list(calibrate(task, settings, materials))
        return found if task.strata["tier"] == "large" else found[1:]

    patch.setattr(calibration, "calibrate", changed)


def patched_checks(patch: Patch, change: Callable[[CheckRow], CheckRow]) -> None:
    check = validation.check
    patch.setattr(validation, "check", lambda *given: [change(row) for row in check(*given)])


@breaks(promises.checks_pass_when_their_value_lies_in_bounds)
def a_check_that_always_passes(patch: Patch) -> None:
    patched_checks(patch, lambda row: replace(row, value=-1.0, passed=True))


@breaks(promises.checks_pass_when_their_value_lies_in_bounds)
def a_check_without_bounds(patch: Patch) -> None:
    patched_checks(patch, lambda row: replace(row, low=None, high=None))


@breaks(promises.own_tables_fit_their_schemas_and_partitions)
def an_agent_measured_by_others(patch: Patch) -> None:
    def ranked(tables: Any) -> pd.DataFrame:
        made = answer_tables.answers(tables)
        return made.assign(best=made["best"] / made["best"].sum())

    spec = TableSpec(ranked, answer_tables.ANSWERS, "answers")
    patch.setitem(dict_of(analysis.TABLES), "answers", spec)


# ------------------------------------------------------------ second opinions


def patched_question(patch: Patch, change: Callable[[Question, Task], Question]) -> None:
    question = opinion.question

    def changed(role: str, task: Task, *given: Any) -> Question | None:
        found = question(role, task, *given)
        return found and change(found, task)

    patch.setattr(opinion, "question", changed)


@breaks(promises.a_judge_is_shown_an_episode_and_nothing_hidden)
def a_judge_who_is_told_the_truth(patch: Patch) -> None:
    patched_question(patch, lambda found, task: replace(found, parts=(*found.parts, task.hidden["colours"])))


@breaks(promises.a_judge_is_shown_an_episode_and_nothing_hidden)
def a_question_that_depends_on_the_hour(patch: Patch) -> None:
    count = itertools.count()
    patched_question(patch, lambda found, task: replace(found, parts=(*found.parts, next(count))))


@breaks(promises.a_judge_is_shown_an_episode_and_nothing_hidden)
def a_judge_without_a_question(patch: Patch) -> None:
    patch.setattr(opinion, "question", lambda *given: None)


@breaks(promises.what_a_judge_says_is_an_opinion_or_none)
def an_opinion_of_any_reply(patch: Patch) -> None:
    patch.setattr(opinion, "opinion", lambda role, text: Opinion(text, 0.0))


@breaks(promises.what_a_judge_says_is_an_opinion_or_none)
def an_opinion_out_of_range(patch: Patch) -> None:
    patch.setattr(opinion, "opinion", lambda role, text: Opinion("supported", float(len(text))))


@breaks(promises.every_episode_can_be_shown)
def a_page_that_needs_an_answer(patch: Patch) -> None:
    patch.setattr(viewer, "show", lambda task, episode, *given: [Text(episode.submission.strip())])


@breaks(promises.every_episode_can_be_shown)
def a_page_that_depends_on_the_hour(patch: Patch) -> None:
    count = itertools.count()
    patch.setattr(viewer, "show", lambda *given: [Text(str(next(count)))])


@breaks(promises.every_episode_can_be_shown)
def a_page_with_the_words_of_an_agent_as_markup(patch: Patch) -> None:
    def show(task: Task, episode: Episode, *given: Any) -> list[Any]:
        return [Figure((Drawing(f"<svg><title>{episode.submission}</title></svg>"),))]

    patch.setattr(viewer, "show", show)


@breaks(promises.opinions_are_told_apart)
def answers_that_a_judge_has_a_say_in(patch: Patch) -> None:
    def kept(tables: Any) -> pd.DataFrame:
        made = answer_tables.answers(tables)
        liked = set(tables["opinions"].query("label == 'supported'")["task_id"])
        return made[made["task_id"].isin(liked)]

    spec = TableSpec(kept, answer_tables.ANSWERS, "answers")
    patch.setitem(dict_of(analysis.TABLES), "answers", spec)
