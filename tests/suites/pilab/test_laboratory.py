"""The policy laboratory: configurations, paired experiments, and luck that is keyed by roles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.cli.main import main
from assay.errors import ConfigError
from assay.suites.pilab.environment.parameters import PUBLISHED
from assay.suites.pilab.experiments import laboratory
from assay.suites.pilab.experiments.configurations import Configuration, configured, listed, read
from assay.suites.pilab.experiments.runs import POLICIES, play
from assay.suites.pilab.interface.client import LabClient
from assay.suites.pilab.lab.papers import impact
from assay.suites.pilab.lab.state import Lab

BASELINE = POLICIES["baseline"]
PUBLISHED_CLOSED = Configuration()


def test_the_published_world_is_a_configuration() -> None:
    everything = listed()
    del everything["fixed"]
    assert configured(everything) == PUBLISHED_CLOSED
    assert configured({}) == PUBLISHED_CLOSED


def test_agencies_review_and_graduation_can_be_changed() -> None:
    changed = configured(
        {
            "mode": "as-published",
            "parameters": {"graduation_months": 36, "review_noise": 0},
            "agencies": {"BSF": {"bar": 0.5, "opens": [3, 9]}},
            "tiers": {3: {"work": 20}},
        }
    )
    assert changed.mode == "as-published"
    assert (changed.parameters.graduation_months, changed.parameters.review_noise) == (36, 0.0)
    lab = Lab(101, changed.parameters, changed.mode)
    assert (lab.agencies["BSF"].bar, lab.agencies["AMP"]) == (0.5, PUBLISHED.agencies[1])
    assert {call.opens for call in lab.calls.values() if call.agency == "BSF"} == {3, 9}
    assert changed.parameters.tiers[2] == (20.0, *PUBLISHED.tiers[2][1:])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"parameter": {}}, "unknown name 'parameter'"),
        ({"mode": "open"}, "unknown mode 'open'"),
        ({"parameters": {"months": 61}}, "2 to 60 months"),
        ({"parameters": {"months": 12.5}}, "parameters.months must be a whole number"),
        ({"parameters": {"start_budget": float("nan")}}, "parameters.start_budget is out of range"),
        ({"parameters": {"phd_stipend": -1}}, "must not be negative"),
        ({"venues": {"NAIC": {"bars": 1}}}, "venues.NAIC: unknown name 'bars'"),
        ({"agencies": {"BSF": {"opens": 3}}}, "agencies.BSF.opens must be a list of months"),
        ({"agencies": {"FEL": {"once": 1}}}, "agencies.FEL.once must be true or false"),
        ({"tiers": {1: {"work": 0}}}, "tiers.1.work must be above 0"),
        ([1], "the file must be a mapping"),
    ],
)
def test_what_does_not_exist_is_refused(given: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        configured(given)
    file = tmp_path / "a.yaml"
    file.write_text(json.dumps(given).replace("NaN", ".nan"))
    with pytest.raises(ConfigError, match=r"a\.yaml"):
        read(file)


def test_every_number_changes_something() -> None:
    """A name in the list that no rule reads would be an empty promise."""
    source = "".join(
        path.read_text()
        for folder in ("lab", "environment")
        for path in Path(laboratory.__file__).parents[1].joinpath(folder).glob("*.py")
        if path.name != "parameters.py"
    )
    assert [name for name in listed()["parameters"] if f".{name}" not in source] == []


def test_two_equal_arms_do_not_differ_and_a_poorer_one_does() -> None:
    poor = configured({"parameters": {"start_budget": 60_000}})
    equal = laboratory.experiment(PUBLISHED_CLOSED, PUBLISHED_CLOSED, BASELINE, range(1, 4))
    assert all(result.to_json()["difference"] == 0 for result in equal)
    changed = laboratory.experiment(PUBLISHED_CLOSED, poor, BASELINE, range(1, 4))
    (closed,) = [result for result in changed if result.measure == "closed"]
    assert sum(closed.a) < sum(closed.b)


def began(lab: Lab, members: list[str]) -> None:
    client = LabClient(lab)
    for member in members:
        client.call("projects.start", "theory", 1, [member], 500)
    while not lab.over and lab.month < 20:
        client.next_month()


@pytest.mark.parametrize("by_role", [True, False])
def test_leaving_one_decision_out_changes_the_luck_of_no_other(by_role: bool) -> None:
    """The second member's project goes on as before without the first one's, if and only if keyed by role."""
    outcomes = []
    for first in (True, False):
        lab = Lab(11, mode="closed", by_role=by_role)
        client = LabClient(lab)
        staff = [client.call("recruit.hire_ra")["staff_id"] for _ in range(2)]
        began(lab, staff if first else staff[1:])
        (project,) = [p for p in lab.projects.values() if p.members == [staff[1]]]
        draft = lab.drafts.get(project.draft or "")
        outcomes.append((project.ended, project.progress, draft.quality if draft else None))
    assert (outcomes[0] == outcomes[1]) is by_role


def test_a_run_is_the_replay_of_its_log() -> None:
    log, lab = laboratory.logged(BASELINE, 104, PUBLISHED_CLOSED)
    again, refused = laboratory.replayed(log, 104, PUBLISHED_CLOSED)
    assert (impact(again), refused) == (impact(lab), 0)
    assert impact(lab) == impact(play(BASELINE, 104, mode="closed", by_role=True)) > 0


def test_what_a_decision_was_worth() -> None:
    worths = laboratory.decisions(BASELINE, 104, PUBLISHED_CLOSED, ["recruit.offer"])
    assert 2 <= len(worths) <= 12
    assert {w.method for w in worths} == {"recruit.offer"}
    # An offer that is declined changes nothing; the first student's decides much.
    assert any(w.worth > 0 and w.refused for w in worths)


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("a.yaml", ""), ("b.yaml", "parameters: {start_budget: 900000}\n")):
        (tmp_path / name).write_text(text)
    paths = [str(tmp_path / name) for name in ("a.yaml", "b.yaml")]
    figure = tmp_path / "out.svg"
    command = ["pilab", "experiment", *paths, "--policy", "baseline", "--seeds", "1-3", "--json"]
    assert main([*command, "--figure", str(figure)]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["worlds"] == 3
    assert result["impact"]["low"] <= result["impact"]["difference"] <= result["impact"]["high"]
    assert figure.read_text().startswith("<svg")
    assert main(["pilab", "parameters", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["agencies"]["BSF"]["bar"] == 1.15
    assert main([*command[:-3], "--seeds", "3-1"]) == 1
    assert "--seeds 3-1 is no range" in capsys.readouterr().err
