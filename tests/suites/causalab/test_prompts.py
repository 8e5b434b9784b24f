"""The paper's profile of the prompt: what is shown at each step, asked at the end, and scored."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from functools import cache
from typing import Any

import pandas as pd
import pytest
from tests.suites.causalab.playing import SUITE, materials, record, scores, scripted, solved

from assay import canonical
from assay.agents.fakes import call
from assay.agents.model import ModelAgent
from assay.agents.player import Player
from assay.agents.scripted import FakeTransport
from assay.agents.transport import Request
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.numbers import rng
from assay.protocol import Score
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation.appendix import LARGEST_PROMPT
from assay.suites.causalab.simulation.conditions import Setup
from assay.suites.causalab.simulation.embodied import MANIPULATOR, REACTOR
from assay.suites.causalab.tables.prompts import prompts as table_of
from assay.suites.causalab.transcript import transcript_of
from assay.task import Task

SEED = 4242
"""A seed of no set."""


@cache
def fresh(setting: str, place: int = 0) -> Task:
    """The task of a setting with this place among those of its setting, on a seed of no set."""
    room = SUITE.room("tasks")
    name = "embodied-v1" if setting == "embodied" else "prompts-v1"
    recipe = replace(room.SETS[name], seed=SEED)
    made = (room.generate(recipe, name, n, SEED, MemoryBlobs()) for n in range(recipe.size))
    of_setting = (task for task in made if task.strata["setting"] == f"sealed-{setting}")
    return next(itertools.islice(of_setting, place, None))


def prompts(task: Task, texts: list[str]) -> list[tuple[Any, ...]]:
    """The parts of the brief and of each reply."""
    episode, _, brief = scripted(task, texts)
    return [brief.parts, *(event.parts for event in episode.events if event.kind == "call" and event.ok)]


def part(parts: tuple[Any, ...], key: str) -> Any:
    return next(p[key] for p in parts if isinstance(p, dict) and key in p)


TALK: dict[str, Any] = {"action": "TALK", "arg1": MANIPULATOR}
GO: dict[str, Any] = {"action": "TELEPORT_TO_OBJECT", "arg1": MANIPULATOR}


def test_a_prompt_shows_records_written_fields_and_past_actions_and_no_past_observation() -> None:
    texts = [record(**GO), record(**TALK), record(chosen_dialog_option_int=1), record(value=77)]
    shown = prompts(fresh("prompt-paper"), texts)
    setup = Setup(fresh("prompt-paper"))
    for parts in shown:
        text = " ".join(p for p in parts if isinstance(p, str))
        assert all(str(state[TARGET]) in text for state in setup.records)
    assert part(shown[-1], "past_actions") == [
        GO,
        TALK,
        {"chosen_dialog_option_int": 1},
        {"value": 77},
    ]
    start = str(setup.initial[TARGET])
    assert start in canonical.dumps([p for p in shown[2] if not isinstance(p, str)])
    assert start not in canonical.dumps([p for p in shown[-1] if isinstance(p, dict)])


def test_ours_and_the_papers_profile_tell_of_the_same_laboratory() -> None:
    for setting in ("prompt-paper", "prompt-paper-check"):
        text = " ".join(p for p in prompts(fresh(setting), [])[0] if isinstance(p, str))
        assert ("compute the frequency of each item of past_data" in text) == (
            setting == "prompt-paper-check"
        )
        assert "at most 12 times" in text and "within 5 Hz" in text
    assert "profile" not in fresh("embodied").public["conditions"]
    assert fresh("prompt-paper").public["conditions"]["profile"] == "paper"


def test_fields_are_cut_and_the_oldest_actions_dropped() -> None:
    long = {"memory": "m" * 9000, "thought": "t", "past_data": [{"id": str(n)} for n in range(900)]}
    texts = [
        json.dumps({**json.loads(record(action="USE", arg1=n, arg2="x" * 300)), **long}) for n in range(40)
    ]
    last = prompts(fresh("prompt-paper"), texts)[-1]
    kept = part(last, "previous")
    assert len(kept["memory"]) <= 4000 and kept["past_data"] == []  # cut JSON is read as nothing, as released
    actions = part(last, "past_actions")
    assert actions[-1]["arg1"] == 39 and actions[0]["arg1"] > 0
    size = sum(len(p) if isinstance(p, str) else len(canonical.dumps(p)) for p in last)
    assert size <= LARGEST_PROMPT + 100  # the names of the parts are no part of the string


@pytest.mark.parametrize(
    "text",
    [
        '{"memory": "\\ud800", "past_data": [NaN], "hypothesis": {"edges": [[Infinity]]}, "arg1": NaN}',
        '{"past_data": ' + "[" * 300 + "]" * 300 + ', "action": "\\udfff"}',
        '{"hypothesis": {"coefficients": {"\\ud83d": 1e999}}, "action": {"a": [1, {"b": -Infinity}]}}',
        "no record at all",
        "",
    ],
)
def test_no_record_breaks_a_prompt(text: str) -> None:
    shown = prompts(fresh("prompt-paper"), [text, text, record(action="SUBMIT"), text, text])
    assert len(shown) == 6
    assert canonical.dumps([p for parts in shown for p in parts]).encode()


def test_at_the_end_two_questions_are_asked_and_their_answers_scored() -> None:
    of = fresh("prompt-paper")
    model = Setup(of).model
    logged = {"edges": [{"from": model.properties[0], "to": TARGET}], "freq_equation": "", "coefficients": {}}
    roots = json.dumps({"root_nodes": sorted(model.roots), "frequency_formula": "1"})
    truth = {"edges": [{"from": a, "to": b} for a, b in model.edges], "freq_equation": "", "coefficients": {}}
    episode, _, _ = scripted(
        of, [record(logged, **GO), record(logged, action="SUBMIT"), roots, json.dumps(truth)]
    )
    assert episode.status == "done"
    first, second = (event.parts for event in episode.events[1:3])
    assert part(first, "question") == "roots" and part(first, "past_actions") == [GO]
    assert part(second, "question") == "graph" and part(second, "hypothesis")["edges"] == logged["edges"]
    every: list[Score] = list(SUITE.room("scoring").score(of, episode, materials()))
    elicited = {s.metric: s.value for s in every if s.profile == "elicited"}
    assert (elicited["root_f1"], elicited["edge_f1"], elicited["shd"]) == (1.0, 1.0, 0.0)
    logged_scores = {s.metric: s.value for s in every if s.profile == "default"}
    right = (model.properties[0], TARGET) in model.edges
    assert logged_scores["shd"] == len(model.edges) + (-1 if right else 1)


def test_answers_that_say_nothing_are_read_from_the_log() -> None:
    of = fresh("prompt-paper")
    model = Setup(of).model
    truth = {"edges": [{"from": a, "to": b} for a, b in model.edges], "freq_equation": "", "coefficients": {}}
    episode, _, _ = scripted(of, [record(truth, action="SUBMIT"), "I do not know", '{"edges": 3}'])
    every = SUITE.room("scoring").score(of, episode, materials())
    elicited = {s.metric: s.value for s in every if s.profile == "elicited"}
    assert elicited["root_f1"] == 0.0 and elicited["edge_f1"] == 0.0  # `edges: 3` is an answer: no edges
    silent, _, _ = scripted(of, [record(truth, action="SUBMIT"), "?", "?"])
    every = SUITE.room("scoring").score(of, silent, materials())
    elicited = {s.metric: s.value for s in every if s.profile == "elicited"}
    assert elicited["root_f1"] == elicited["edge_f1"] == 1.0


def test_questions_come_when_the_steps_are_used_up() -> None:
    of = fresh("prompt-paper")
    steps = of.public["conditions"]["steps"]
    episode, _, _ = scripted(of, [record(action="USE")] * (steps + 5))
    assert transcript_of(Setup(of), episode).answers == {
        "roots": json.loads(record(action="USE")),
        "graph": json.loads(record(action="USE")),
    }
    assert episode.counters["step"] == steps + 2 and episode.status == "done"


@pytest.mark.parametrize("solver", ["exact", "map"])
def test_solvers_score_alike_under_both_profiles(solver: str) -> None:
    by_graph: dict[str, dict[str, Any]] = {}
    for setting in ("embodied", "prompt-paper"):
        of = fresh(setting)
        values = scores(of, solved(of, solver))
        by_graph[setting] = values
        if solver != "map":
            assert values["score"] == 1.0
    assert by_graph["embodied"].keys() == by_graph["prompt-paper"].keys()


def test_a_model_sees_one_prompt_at_a_time_and_nothing_else() -> None:
    requests: list[Request] = []

    def script(request: Request, stream: rng.Stream) -> str:
        requests.append(request)
        (message,) = request.messages
        parts: Any = [p if isinstance(p, dict) else {} for p in message.parts]
        if any("question" in p for p in parts):
            return call("record", text='{"root_nodes": []}')
        done = len(next(p["past_actions"] for p in parts if "past_actions" in p))
        acts: list[dict[str, Any]] = [GO, TALK, {"chosen_dialog_option_int": 2}, {"value": 50}]
        acts += [{"chosen_dialog_option_int": 4}, {"action": "TELEPORT_TO_OBJECT", "arg1": REACTOR}]
        acts += [{"action": "SUBMIT"}]
        return call("record", text=record(**acts[done]))

    agent = ModelAgent(FakeTransport(script, rng.stream(0)), Player({"kind": "fake"}), lambda turn: None)
    of = fresh("prompt-paper")
    episode = play(SUITE, of, "script", agent, 0, materials())
    assert (episode.status, len(requests)) == ("done", 9)
    assert len(transcript_of(Setup(of), episode).interventions) == 1


def test_the_table_names_both_profiles_and_pools_neither() -> None:
    tasks, rows = [], []
    for number, setting in enumerate(("embodied", "prompt-paper", "prompt-paper-check")):
        name = "embodied-v1" if setting == "embodied" else "prompts-v1"
        for graph in range(4):
            task = f"{graph}-{setting}"
            conditions = {"profile": "paper"} if number else {}
            tasks.append(
                (
                    *(name, task, canonical.dumps({"setting": f"sealed-{setting}", "nodes": "4"})),
                    canonical.dumps({"conditions": conditions}),
                    canonical.dumps({"model": {"graph_id": f"4nodes_{graph}"}}),
                )
            )
            logged = graph / 4 - number / 8
            row = ("able", name, task, 0)
            rows += [(*row, "default", None, "edge_f1", logged), (*row, "default", None, "solved", 1.0)]
            if number:
                rows.append((*row, "elicited", None, "edge_f1", logged + 0.5))
    columns = ["agent", "task_set", "task_id", "attempt", "profile", "step", "metric", "value"]
    made = table_of(
        {
            "tasks": pd.DataFrame(tasks, columns=["task_set", "task_id", "strata", "public", "hidden"]),
            "scores": pd.DataFrame(rows, columns=columns),
        }
    )
    found = {(row.setting, row.profile, row.reading): row for row in made.itertuples(index=False)}
    assert list(found) == [
        ("sealed-embodied", "ours", "logged"),
        ("sealed-prompt-paper", "paper", "elicited"),
        ("sealed-prompt-paper", "paper", "logged"),
        ("sealed-prompt-paper-check", "paper", "elicited"),
        ("sealed-prompt-paper-check", "paper", "logged"),
    ]
    assert all(row.rows == 4 and row.solved == 100 for row in found.values())
    paper = found["sealed-prompt-paper", "paper", "logged"]
    assert (paper.pairs, paper.difference, paper.difference_low) == (4, -0.125, -0.125)
    assert found["sealed-prompt-paper", "paper", "elicited"].difference == 0.375
    assert found["sealed-embodied", "ours", "logged"].pairs == 0
