"""Turns, months, memory and code, as an agent meets them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.suites.pilab.episodes import SUITE, act, code, play, task

from assay.episodes import harness
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.numbers import rng
from assay.protocol import Brief, Call, Json
from assay.suites.pilab.environment.parameters import RULES, TOPICS
from assay.suites.pilab.experiments.runs import POLICIES
from assay.suites.pilab.experiments.runs import play as play_here
from assay.suites.pilab.interface import methods, prompt
from assay.suites.pilab.interface.methods import METHODS
from assay.suites.pilab.lab.papers import impact
from assay.suites.pilab.solvers import SOLVERS
from assay.task import read_frozen

ROOT = Path(__file__).parents[3]


def test_a_month_has_eight_turns_of_code() -> None:
    def plays(brief: Brief, call: Call) -> None:
        for n in range(9):
            code(call, f"print({n})")

    episode, results = play(plays)
    assert [result.fresh for result in results] == [False] * 7 + [True, False]
    assert results[0].parts == ("Turn 1 of 8:\n0\n",)
    assert results[8].parts == ("Turn 1 of 8:\n8\n",)
    text, board = results[7].parts
    assert "Month 2 of 60 (Y1M2)" in str(text)
    assert isinstance(board, dict)
    assert board["month"] == 2
    assert episode.counters["turn"] == 9


def test_sixteen_single_calls_are_a_turn() -> None:
    def plays(brief: Brief, call: Call) -> None:
        for _ in range(112):
            act(call, "field_topics")
        code(call, "print(1)")
        assert act(call, "lab_dashboard")["month"] == 2
        act(call, "lab_dashboard")
        for _ in range(7):
            code(call, "print(1)")
        refusal = code(call, "print(1)")
        assert not refusal.ok
        assert "14 single calls" in str(refusal.error)

    play(plays)


def test_code_that_ends_the_month_ends_its_turns() -> None:
    def plays(brief: Brief, call: Call) -> None:
        result = code(call, "write_memory('remember'); x = 5\nnext_month()\nnext_month()\nprint('lost')")
        assert result.fresh
        text, board = result.parts
        assert isinstance(board, dict)
        assert board["month"] == 3
        assert "remember" in str(text)
        assert "lost" not in str(text)
        assert code(call, "print(x, read_memory())").parts[0] == "Turn 1 of 8:\n5 remember\n"

    play(plays)


def test_what_code_prints_is_cut_and_errors_are_told() -> None:
    def plays(brief: Brief, call: Call) -> None:
        shown = str(code(call, "print('x' * 10000)").parts[0])
        assert len(shown) < prompt.MOST_PRINTED + 40
        assert shown.endswith("[cut]")
        assert "[error]" in str(code(call, "1 / 0").parts[0])
        caught = "try:\n    recruit.offer('APP999')\nexcept ApiError as problem:\n    print(problem)"
        assert "not an applicant of this season" in str(code(call, caught).parts[0])
        assert str(code(call, "pass").parts[0]).endswith("use print to see values.)".replace("use", "Use"))
        assert "No code was found" in str(call("run_code", {"code": "Let me think."}).parts[0])

    play(plays)


def test_every_method_can_be_reached_from_code() -> None:
    """The published sandbox left out three that its prompt told of."""
    names = list(METHODS)

    def plays(brief: Brief, call: Call) -> None:
        shown = code(call, f"print(all(callable(eval(name)) for name in {names!r}))").parts[0]
        assert "True" in str(shown)
        hired = "print(recruit.hire_ra()['staff_id'], recruit.hire_manager()['staff_id'])"
        assert "RA001 MGR001" in str(code(call, hired).parts[0])
        assert "'ok': True" in str(code(call, "print(recruit.dismiss('RA001'))").parts[0])

    play(plays)
    system = prompt.system(60, 8, "mended")
    assert all(name in system for name in METHODS)


def test_numpy_values_are_taken_and_nan_is_refused() -> None:
    def plays(brief: Brief, call: Call) -> None:
        text = (
            "import numpy as np\nprint(len(field.news(np.int64(3))), recruit.interview(np.array(['APP001'])))"
        )
        assert "3 {'APP001': 0.37}" in str(code(call, text).parts[0])
        assert "numbers must be finite" in str(
            code(call, "grants.propose('TIF-rolling', 'theory', float('nan'))").parts[0]
        )

    play(plays)


def test_code_that_hangs_is_ended_and_the_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.sandbox import Limits, Policy
    from assay.suites.pilab import world

    monkeypatch.setattr(world, "POLICY", Policy(Limits(wall=1.0, grace=0.2)))

    def plays(brief: Brief, call: Call) -> None:
        code(call, "recruit.offer('APP002')")
        assert "[timeout]" in str(
            code(call, "while True:\n    try:\n        pass\n    except: pass").parts[0]
        )
        assert "[timeout]" in str(code(call, "10 ** 10 ** 9").parts[0])
        shown = str(code(call, "print([a['status'] for a in recruit.applicants()][1])").parts[0])
        assert "offered" in shown

    episode, _ = play(plays)
    assert episode.status == "done"


def test_an_agent_that_leaves_gets_what_the_rest_of_the_run_gives() -> None:
    def plays(brief: Brief, call: Call) -> None:
        act(call, "recruit_hire_ra")

    episode, _ = play(plays)
    record: Any = episode.submission
    assert episode.status == "done"
    assert record["summary"]["months_played"] == 1
    assert record["summary"]["months_survived"] == 60
    assert record["summary"]["final_budget"] == 600_000 - 60 * 1800


def test_an_agent_that_crashes_is_not_scored() -> None:
    def plays(brief: Brief, call: Call) -> None:
        act(call, "recruit_hire_ra")
        raise RuntimeError("lost")

    episode, _ = play(plays)
    assert episode.status == "crashed"
    assert [event.tool for event in episode.events] == ["act", "recruit_hire_ra"]


def test_a_policy_as_code_plays_as_here() -> None:
    """A month of decisions made by a block in the sandbox is the month that they make in this process."""
    text = """
for month in range(60):
    if month % 12 == 0:
        best = sorted(recruit.applicants(), key=lambda a: -(a["transcript"] + a["letter"]))[:4]
        for applicant in best:
            try:
                recruit.offer(applicant["id"])
            except ApiError:
                break
    here = [m["id"] for m in students.list() if m["status"] == "active"]
    busy = {m for p in projects.list() if p["status"] == "active" for m in p["members"]}
    idle = [m for m in here if m not in busy][:3]
    if idle:
        try:
            projects.start("reasoning", 2, idle, 3000)
        except ApiError:
            pass
    if next_month().get("simulation_over"):
        break
"""
    episode, _ = play(lambda brief, call: code(call, text) and None, 104)
    record: Any = episode.submission
    lab = play_here(POLICIES["hire-max"], 104)
    assert episode.status == "collapsed"
    assert record["summary"]["collapse_month"] == lab.collapse_month == 41
    assert record["summary"]["final_budget"] == round(lab.budget, 2)


def test_replay_needs_no_sandbox() -> None:
    def plays(brief: Brief, call: Call) -> None:
        code(call, "print(recruit.interview(['APP001', 'APP002']))\nnext_month()")
        code(call, "print(lab.attention())")

    first, _ = play(plays)
    recorded = iter([event for event in first.events if event.kind == "outside"])

    def outside(run: Callable[[Call], Json], call: Call) -> Json:
        event = next(recorded)
        for nested in first.events:
            if nested.parent == event.step:
                call(nested.tool, nested.arguments)
        value: Any = event.parts[0]
        return value

    second, _ = play(plays, outside=outside)
    assert second.log_sha256 == first.log_sha256


@pytest.mark.parametrize("policy", ["baseline", "oracle"])
def test_policies_at_the_harness_play_as_here(policy: str) -> None:
    from assay.agents.solver import SolverAgent

    solver = SUITE.find("solvers", "SOLVERS", policy)
    given = task(103)
    agent = SolverAgent(solver, given)
    episode, _ = play(lambda brief, call: agent.act(brief, call, None), 103)  # type: ignore[arg-type]
    record: Any = episode.submission
    lab = play_here(POLICIES[policy], 103)
    assert record["summary"]["impact"] == round(impact(lab), 6)
    assert record["summary"]["collapse_month"] == lab.collapse_month
    assert record["actions"] == [[month, name] for month, name, _ in lab.actions]


@pytest.mark.parametrize("policy", ["baseline", "ambitious", "steward"])
def test_a_policy_plays_on_where_months_end_by_themselves(policy: str) -> None:
    """With one turn a month, sixteen calls, a call of the policy often ends the month and has no answer."""
    from assay.agents.solver import SolverAgent

    given = read_frozen(ROOT / "tasks/pilab/smoke-v0/00000.json")
    agent = SolverAgent(SUITE.find("solvers", "SOLVERS", policy), given)
    episode = harness.play(SUITE, given, policy, agent, 0, materials_for(SUITE, MemoryBlobs()))
    assert episode.status == "done"
    asked = {event.arguments["tool"] for event in episode.events if event.fresh}
    assert asked - {"next_month"}
    record: Any = episode.submission
    assert record["summary"]["months_survived"] == 12


def test_the_seed_is_nowhere_to_be_seen() -> None:
    seed = 7_654_321_987

    def plays(brief: Brief, call: Call) -> None:
        for _ in range(60):
            act(call, "next_month")

    episode, _ = play(plays, seed)
    shown = json.dumps([event.to_json() for event in episode.events])
    assert str(seed) not in shown
    assert '"seed"' not in shown


def test_without_memory_nothing_is_kept() -> None:
    def plays(brief: Brief, call: Call) -> None:
        assert "switched off" in str(brief.parts[0])
        assert act(call, "write_memory", text="remember") == {"ok": False, "error": prompt.DISABLED}
        text, _ = call("act", {"tool": "next_month", "arguments": {}}).parts
        assert "switched off" in str(text)
        assert "remember" not in str(text)

    play(plays, memory=False)


def test_the_facade_is_source_of_its_own() -> None:
    for rules in RULES.values():
        source = methods.facade(rules)
        compile(source, "<facade>", "exec")
        assert len([line for line in source.splitlines() if "_Namespace(" in line]) == 8


@pytest.mark.parametrize("task_set", ["closed-v1", "as-published-v1"])
def test_code_plays_by_the_rules_of_its_set(task_set: str) -> None:
    closed = task_set == "closed-v1"

    def plays(brief: Brief, call: Call) -> None:
        assert ("recruit.hire_manager" in brief.system) == closed
        shown = call("run_code", {"code": "```Python\nprint('capital')\n```"})
        assert "capital" in str(shown.parts[0])
        hired = str(code(call, "print(recruit.hire_manager())").parts[0])
        assert ("at the end of any later month" in hired) == closed
        assert ("AttributeError" in hired) != closed
        result = call("act", {"tool": "recruit_hire_ra", "arguments": {}})
        assert result.ok == closed
        assert str(len(TOPICS)) in str(
            code(call, "print(query(\"select count(*) as n from preprint_feed where month = '1'\"))").parts[0]
        )

    play(plays, task_set=task_set)


@pytest.mark.parametrize("task_set", ["closed-v1", "as-published-v1"])
def test_the_oracle_plays_by_the_rules_of_its_set(task_set: str) -> None:
    hidden = task(task_set=task_set).hidden

    def plays(brief: Brief, call: Call) -> None:
        SOLVERS["oracle"].act(brief, call, rng.stream(1, "oracle"), hidden)

    episode, _ = play(plays, task_set=task_set)
    assert episode.status in ("done", "collapsed")
    hired = [event.ok for event in episode.calls("act") if event.arguments["tool"] == "recruit_hire_manager"]
    assert hired == [] if task_set == "as-published-v1" else all(hired)
