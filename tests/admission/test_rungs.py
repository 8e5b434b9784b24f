"""Rungs and missing sessions in tables, and the page History."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.admission import rungs
from assay.admission.ledger import Ledger, Line
from assay.build import links
from assay.build.job import Job
from assay.report import page
from assay.report.pages import history
from assay.stages import leaderboard, summary
from assay.stages.shared.collection import Collection
from assay.tables import rivals
from assay.tables.reader import read_rows
from assay.tables.schemas.episodes import EPISODES
from assay.tables.schemas.leaderboard import LEADERBOARD
from assay.tables.schemas.scores import SCORES
from assay.tables.schemas.summary import SUMMARY
from assay.tables.schemas.tasks import TASKS
from assay.tables.writer import write_table

AGENT, SET, ROOT = "stranger", "urns/small", "a" * 64


def add(ledger: Ledger, kind: Any, subject: str = ROOT, /, **facts: Any) -> Ledger:
    return ledger.added(kind, date="2026-03-01", subject=subject, by="host", facts=facts)


def admitted(*, announced: bool = True, key: str | None = None, operator: bool = False) -> Ledger:
    """A ledger that ends with the admission of the agent."""
    ledger = Ledger(Path(), ())
    facts = {"agent": AGENT, "entry_sha256": "e", "sets": [SET], "attempts": 2}
    if announced:
        ledger = add(ledger, "announce", **facts)
    if key is not None:
        role = "operator" if operator else "submitter"
        ledger = add(ledger, "key", AGENT, key=key, public="p", role=role)
    facts |= {"episodes": 3, "missing": 1, "notes": ["missing"], "key": key, "scores": {SET: 0.5}}
    return add(ledger, "admit", **facts, rungs=rungs.at_admission(ledger, facts))


def row(kind: str = "model", agent: str = AGENT, task_set: str = "small") -> dict[str, Any]:
    return {"kind": kind, "agent": agent, "suite": "urns", "task_set": task_set}


def confirmed(ledger: Ledger, tasks: int = 40, high: float = 0.04) -> Ledger:
    return add(
        ledger,
        "confirm",
        fresh_set=f"{SET}.private",
        tasks=tasks,
        public=0.5,
        fresh=0.5,
        difference=0.0,
        high=high,
        limit=0.05,
    )


def rebuilt(ledger: Ledger, key: str, row_sha: str = "r", *, identical: bool = True) -> Ledger:
    facts = {"manifest": "m", "suites": {"urns": "identical"}, "rows": {AGENT: row_sha}}
    return add(ledger, "rebuild", key=key, identical=identical, **facts)


def test_a_row_has_the_rungs_for_which_there_is_evidence() -> None:
    nothing = Ledger(Path(), ())
    assert rungs.of_row(nothing, row("quoted"), None) == ["claimed"]
    assert rungs.of_row(nothing, row("solver"), "solver") == ["played"]
    assert rungs.of_row(nothing, row(), "recording") == ["replayed"]
    assert rungs.of_row(nothing, row(), None) == []
    assert rungs.of_row(admitted(announced=False), row(), "recording") == ["replayed"]
    assert rungs.of_row(admitted(), row(), "recording") == ["replayed", "announced"]
    assert rungs.of_row(admitted(), row(agent="other"), "recording") == ["replayed"]
    assert rungs.of_row(admitted(), row(), None) == []  # a recording of it does not replay
    operator = admitted(key="k", operator=True)
    assert rungs.of_row(operator, row(), "recording") == ["replayed", "announced", "operator"]
    assert "operator" not in rungs.of_row(admitted(key="k"), row(), "recording")


def test_fresh_holds_for_its_set_and_enough_tasks() -> None:
    assert "fresh" in rungs.of_row(confirmed(admitted()), row(), "recording")
    assert "fresh" not in rungs.of_row(confirmed(admitted()), row(task_set="large"), "recording")
    assert "fresh" not in rungs.of_row(confirmed(admitted(), tasks=39), row(), "recording")
    assert "fresh" not in rungs.of_row(confirmed(admitted(), high=0.05), row(), "recording")


def test_rebuilt_takes_two_others_with_the_same_row() -> None:
    ledger = admitted(key="own")

    def has(*lines: tuple[str, str, bool]) -> bool:
        after = ledger
        for key, sha, identical in lines:
            after = rebuilt(after, key, sha, identical=identical)
        return "rebuilt" in rungs.of_row(after, row(), "recording")

    assert has(("a", "r", True), ("b", "r", True))
    assert not has(("a", "r", True), ("a", "r", True))
    assert not has(("a", "r", True), ("own", "r", True))
    assert not has(("a", "r", True), ("b", "another", True))
    assert not has(("a", "r", True), ("b", "r", False))


def shown(ledger: Ledger) -> str:
    return page.render("history.html", links.HISTORY, suites_shown=[], **history.values(ledger))


def test_history_shows_every_line_and_what_became_of_admissions() -> None:
    ledger = admitted()
    html = shown(ledger)
    assert "1 session missing, each counts as zero" in html
    assert '<span class="tag rung">announced</span>' in html
    assert ledger.head in html
    assert "removed by" not in html
    removed = ledger.added(
        "remove",
        date="2026-03-02",
        subject=ROOT,
        by="host",
        reason="<withdrawn>",
        facts={"line": ledger.lines[-1].n},
    )
    html = shown(removed)
    assert "removed by" in html
    assert "&lt;withdrawn&gt;" in html
    assert "urns/small: mean score 0.5" in html
    assert "Rebuilds by others" in shown(rebuilt(ledger, "a"))
    assert "has no ledger" in shown(Ledger(Path(), ()))


@pytest.fixture
def tables(tmp_path: Path) -> dict[str, tuple[Path, ...]]:
    """Two tasks with two attempts each by two agents; one session of the stranger is missing."""
    paths = {name: tmp_path / f"{name}.parquet" for name in ("tasks", "episodes", "scores")}
    task = {"suite": "urns", "task_set": "small", "version": 1, "seed": 1, "strata": "{}"}
    columns = {column.name: "{}" if column.type == "string" else 0 for column in TASKS.columns}
    write_table(
        [{**columns, **task, "task_id": name, "index": at} for at, name in enumerate("ab")],
        paths["tasks"],
        TASKS,
    )
    played = [
        {"suite": "urns", "task_set": "small", "task_id": name, "agent": agent, "attempt": attempt}
        for agent in (AGENT, "zeno")
        for name in "ab"
        for attempt in range(2)
        if (agent, name, attempt) != (AGENT, "b", 1)
    ]
    blank: dict[str, Any] = {
        column.name: None if column.nullable else "{}" if column.type == "string" else 0
        for column in EPISODES.columns
    }
    write_table(
        sorted(
            (
                {**blank, "status": "done", "source": "recording", "privileged": False, **each}
                for each in played
            ),
            key=lambda each: tuple(each[name] for name in EPISODES.key),
        ),
        paths["episodes"],
        EPISODES,
    )
    values = [
        {**each, "profile": "default", "metric": metric, "step": None, "value": 1.0, "label": ""}
        for each in played
        for metric in ("score", "solved")
    ]
    order = sorted(values, key=lambda each: tuple(each[name] for name in SCORES.key[:-1]))
    write_table(order, paths["scores"], SCORES)
    return {name: (path,) for name, path in paths.items()}


MISSING = [[AGENT, "small", "b", 1]]


def test_a_missing_session_counts_as_zero(tables: dict[str, tuple[Path, ...]], tmp_path: Path) -> None:
    config = {"suite": "urns", "agent": AGENT, "sets": ["small"], "attempts": 2, "kind": "model"}
    own = tmp_path / "own.parquet"
    write_table(
        [each for each in read_rows(tables["scores"][0], SCORES) if each["agent"] == AGENT], own, SCORES
    )
    out = tmp_path / "summary.parquet"
    inputs = {**tables, "scores": (own,)}
    summary.run(Job({**config, "missing": MISSING}, inputs, {"summary": out}))
    score = read_rows(out, SUMMARY, where={"stratum": "task_set", "metric": "score"})[0]
    assert (score["n"], score["n_missing"], score["mean"]) == (4, 0, 0.75)
    summary.run(Job(config, inputs, {"summary": out}))
    assert read_rows(out, SUMMARY, where={"stratum": "task_set", "metric": "score"})[0]["mean"] == 1.0

    collection = Collection(Job({"suite": "urns", "kinds": {}, "missing": MISSING}, tables, {}))
    together = rivals.passes(collection)
    second = together[together["attempt"] == 1].set_index("agent")["score"]
    assert (second[AGENT], second["zeno"]) == (0.5, 1.0)
    (pair,) = rivals.pairs(collection).itertuples()
    assert (pair.first, pair.second, pair.margin, pair.worse) == (AGENT, "zeno", -0.25, 1)
    whole = together[together["attempt"].isna()].set_index("agent")
    assert (whole.loc[AGENT, "always"], whole.loc["zeno", "always"]) == (0.5, 1.0)


def test_the_leaderboard_says_what_is_missing_and_what_was_checked(
    tables: dict[str, tuple[Path, ...]], tmp_path: Path
) -> None:
    ledger = Ledger(tmp_path / "ledger", admitted().lines)
    ledger.write()
    ranks = tmp_path / "summary.parquet"
    same = {"suite": "urns", "privileged": False, "profile": "default", "stratum": "task_set"}
    value = {"n_missing": 0, "sd": None, "low": None, "high": None, "method": "", "note": ""}
    write_table(
        [
            {**same, **value, "agent": agent, "level": "small", "metric": "score", "n": 4, "mean": mean}
            for agent, mean in ((AGENT, 0.75), ("zeno", 1.0))
        ],
        ranks,
        SUMMARY,
    )
    config = {
        "suites": {"urns": {"sets": {"small": 2}, "missing": MISSING}},
        "kinds": {AGENT: "model", "zeno": "model"},
    }
    inputs: dict[str, tuple[Path, ...]] = {
        "urns/summary": (ranks,),
        "urns/episodes": tables["episodes"],
        "urns/scores": tables["scores"],
        "urns/own": (),
        "urns/published": (),
        "frozen": (),
        "ledger": (tmp_path / "ledger/ledger.jsonl",),
    }
    out = tmp_path / "table.parquet"
    leaderboard.run(Job(config, inputs, {"table": out}))
    first, second = read_rows(out, LEADERBOARD)
    assert (first["tasks"], first["missing"], first["rungs"]) == (2, 1, "replayed, announced")
    assert (second["missing"], second["rungs"]) == (0, "replayed")


def test_ranks_and_ties_follow_from_the_significant_pairs(tmp_path: Path) -> None:
    path = tmp_path / "pairs.parquet"
    blank = {"tasks": 9, "better": 9, "worse": 0, "p": 0.5, "exact": True, "detectable": None}
    blank |= {"se": None, "low": None, "high": None}
    write_table(
        [
            {**blank, "task_set": "small", "first": first, "second": second, "margin": 1.0, "p_holm": p}
            for first, second, p in (("a", "b", 0.2), ("a", "c", 0.01), ("b", "c", 0.3))
        ],
        path,
        rivals.PAIRS,
    )
    standing = leaderboard._pairs(path, ())
    above, below, compared = standing.counts
    assert (above["small", "a"], below["small", "c"], compared["small", "b"]) == (1, 1, 2)
    means = {("small", name): value for name, value in (("a", 3.0), ("b", 2.0), ("c", 1.0))}
    ties = leaderboard._ties(standing, means)
    assert ties == {("small", "a"): "a", ("small", "b"): "ab", ("small", "c"): "b"}


def test_lines_are_described_in_words() -> None:
    from assay.admission.ledger import words

    ledger = rebuilt(confirmed(admitted()), "k" * 64)
    texts = [words(line) for line in ledger.lines]
    assert texts[0] == "stranger: 2 attempts at urns/small"
    assert "below 0.04 with 95 %, on 40 tasks" in texts[2]
    assert texts[3].startswith("identical, key kkkk")
    assert isinstance(ledger.lines[0], Line)
