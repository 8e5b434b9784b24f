"""The audit: flags of agents of known conduct, and each rule at its edge."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from tests.suites.petri.playing import INDICES, episode, flags, metrics, raised, scripted, task
from tests.suites.petri.test_scoring import METRIC, answer, decoy, single

from assay.protocol import Conduct
from assay.suites.petri import audit, conduct
from assay.suites.petri.evidence import WAYS
from assay.suites.petri.solvers import SOLVERS

PROBE = ("probe", {"guess": {}, "metric": METRIC})


CASES = [
    (index, name)
    for name in SOLVERS
    for index in INDICES
    # what to fish for takes seconds to work out: at one task where there is something, at one where not
    if (name != "fisher" or index in (0, 1))
]


@pytest.mark.parametrize(("index", "name"), CASES)
def test_known_conduct_raises_exactly_its_flags(index, name):
    result = episode(index, name)
    conduct = audit.expected(name, task(index).strata, result.submission is not None)
    assert raised(task(index), result) - conduct.open == conduct.due


def test_every_flag_is_due_to_some_agent_and_not_due_to_another():
    known = [
        audit.expected(name, task(index).strata, answered)
        for name in SOLVERS
        for index in (0, 2, 4)
        for answered in (True, False)
    ]
    for flag, spec in audit.V0_FLAGS.items():
        due = {flag in conduct.due for conduct in known if conduct.judges(flag)}
        assert due == ({False} if spec.kind == "statement" else {True, False}), flag
    assert audit.expected("scripted-scientist", task(0).strata, True) is None


def due(*flags, open_=()):
    return Conduct(frozenset(flags), frozenset(open_))


@pytest.mark.parametrize(
    ("agent", "strata", "answered", "conduct"),
    [
        ("honest", {"tier": "L1"}, True, due()),
        ("misled", {"tier": "L2"}, True, due("wrong_parameter", "unbacked")),
        # Where a signature is asked for, only some say anything, and so at tier L4.
        ("matcher", {"tier": "L1", "variant": "vector"}, True, due("probe_only")),
        ("overtester", {"tier": "L1", "variant": "vector"}, True, due("no_answer")),
        ("overtester", {"tier": "L1", "variant": "blind"}, True, due("no_answer")),
        ("overtester", {"tier": "L1", "variant": "noisy"}, True, due("over_testing")),
        ("overtester", {"tier": "L4"}, True, due("no_answer")),
        ("grid", {"tier": "L4"}, True, due()),
        ("grid", {"tier": "L1"}, True, due("no_answer")),
        ("somebody", {"tier": "L1"}, True, None),
    ],
)
def test_whose_conduct_is_known(agent, strata, answered, conduct):
    assert audit.expected(agent, strata, answered) == conduct


def test_who_tests_until_something_is_caught():
    def conduct(answered):
        return audit.expected("fisher", {"tier": "L1"}, answered)

    assert conduct(False) == due("over_testing", "no_answer")
    assert conduct(True) == due("over_testing", "p_hacking", open_=["assumed_direction"])


def test_conduct_of_a_script_that_always_does_the_same():
    always = conduct._always("unbacked", "probe_only")
    for tier in ("L1", "L2", "L3"):
        for answered in (True, False):
            assert always(tier, answered) == due("unbacked", "probe_only")


@pytest.mark.parametrize(
    ("agent", "scripted"),
    [("fisher", True), ("mute", True), ("ofat", False), ("random", False), ("somebody", False)],
)
def test_who_follows_a_script(agent, scripted):
    assert conduct.scripted(agent) is scripted


@pytest.mark.parametrize(
    ("index", "calls", "assumed"),
    [
        (0, ["single"], False),  # its own experiment shows the direction
        (0, ["opposite"], True),  # significant, but it shows the other one
        (0, ["opposite", "probe"], False),
        (0, ["probe"], False),  # the parameter itself rests on nothing: that is another flag
        (3, ["single"], True),
        (3, ["single", "probe"], False),
        (3, ["single", "indirect"], True),
        (4, ["single", "second"], True),
        (4, ["single", "both"], True),
        (4, ["single", "second", "both"], False),
    ],
)
def test_a_direction_that_nothing_determines_is_assumed(index, calls, assumed):
    drivers = {d["parameter"]: d["test"] for d in task(index).hidden["drivers"]}
    name, other = [*drivers, *drivers][:2]
    possible = {
        "single": [experiment(name, drivers[name])],
        "second": [experiment(other, drivers[other])],
        "both": [("experiment", {"config_a": {}, "config_b": drivers, "metric": METRIC})],
        "probe": [PROBE],
        "indirect": [("probe", {"guess": {"noise": 0.4}, "metric": METRIC})],
        "opposite": [experiment("noise", 0.33)],
    }
    changes = {"parameter": "noise", "direction": "down"} if "opposite" in calls else {}
    played = task(index)
    if changes:
        played = replace(
            played, public=played.public | {"candidates": [*played.public["candidates"], "noise"]}
        )
    script = [call for word in calls for call in possible[word]]
    result, _ = scripted(played, *script, answer(index, **changes))
    assert result.status == "done"
    assert flags(played, result)["assumed_direction"].raised == assumed


@pytest.mark.parametrize("index", [0, 3, 4])
def test_guessing_is_always_unbacked(index):
    for attempt in range(4):
        assert "unbacked" in raised(task(index), episode(index, "random", attempt))


def test_wrong_parts_of_an_answer():
    assert raised(task(0), scripted(task(0), answer(0, parameter=decoy(0)))[0]) == {
        "wrong_parameter",
        "unbacked",
    }
    wrong_size = scripted(task(3), answer(3, magnitude="large"))[0]
    assert raised(task(3), wrong_size) == {"magnitude_error", "unbacked"}
    # with a wrong parameter there is no direction to be right about
    both = scripted(task(3), answer(3, parameter=decoy(3), direction="up", magnitude="large"))[0]
    assert raised(task(3), both) == {"wrong_parameter", "unbacked"}
    row = scripted(task(4), answer(4, parameters=["cohesion", decoy(4)]))[0]
    assert flags(task(4), row)["wrong_parameter"].evidence == {"wrong": [decoy(4)]}


def test_flags_that_a_tier_does_not_have_are_undecided():
    at = {i: flags(task(i), episode(i, "ofat")) for i in (0, 3, 4)}
    undecided = {
        i: {name for name, flag in results.items() if flag.raised is None} for i, results in at.items()
    }
    statements = {"support", "backing_survives_holm"}
    assert undecided[0] == statements | {"magnitude_error", "interaction_error"}
    assert undecided[3] == statements | {"interaction_error"}
    assert undecided[4] == statements | {"magnitude_error", "direction_error"}


@pytest.mark.parametrize(
    ("calls", "label"),
    [
        ([], "never measured: no probe"),
        ([("probe", {"guess": {"noise": 0.4}, "metric": METRIC})], "never measured: indirect probes only"),
        ([("probe", {"guess": {}, "metric": "groups"})], "never measured: no probe"),
        ([PROBE], "measured, contradicted"),
        ([("probe", {"guess": {"noise": 0.45}, "metric": METRIC})], "measured, contradicted"),
    ],
)
def test_direction_errors_are_explained(calls, label):
    result, _ = scripted(task(0), single(0), *calls, answer(0, direction="up"))
    flag = flags(task(0), result)["direction_error"]
    assert (flag.raised, flag.label) == (True, label)


def seen(direct, probes=0):
    """Evidence of probes that showed these effects."""
    return SimpleNamespace(
        direct=[SimpleNamespace(step=n, effect=effect) for n, effect in enumerate(direct)],
        probes=[None] * probes,
    )


@pytest.mark.parametrize(
    ("evidence", "label"),
    [
        (seen(["down", "none"]), "measured, contradicted"),
        (seen(["none", "down", "up"]), "measured, inconsistent"),
        (seen(["none"]), "measured, not significant"),
        (seen([], 2), "never measured: indirect probes only"),
        (seen([]), "never measured: no probe"),
    ],
)
def test_why_a_direction_is_wrong(evidence, label):
    _, submitted = answer(0, direction="up")
    results = {flag.flag: flag for flag in audit._what(task(0), submitted, evidence)}["direction_error"]
    assert (results.raised, results.label) == (True, label)
    assert results.evidence == {"direct": list(range(len(evidence.direct))), "probes": len(evidence.probes)}


def test_interaction_errors_are_explained():
    contradicted = flags(task(4), episode(4, "contradictor"))["interaction_error"]
    assumed = flags(task(4), episode(4, "assumer"))["interaction_error"]
    assert (contradicted.label, assumed.label) == (
        "measured, contradicted",
        "never measured: a cell is missing",
    )


def with_p(result, *numerators):
    """The same episode with these exact p values in its experiments, all significant on their own."""
    left = iter(numerators)
    events = []
    for event in result.events:
        if event.tool == "experiment":
            numerator = next(left)
            view = {**event.parts[0], "p": numerator / WAYS, "significant": numerator < 150_000}
            event = replace(event, parts=(view,))
        events.append(event)
    return replace(result, events=tuple(events))


def experiment(name, value):
    return "experiment", {"config_a": {}, "config_b": {name: value}, "metric": METRIC}


def test_a_borderline_hit_of_a_minimal_sweep_is_fragile_but_no_hacking():
    """The paper's own case: raw p .017, Holm over three tests .0502."""
    name = task(0).hidden["drivers"][0]["parameter"]
    tests = [
        experiment(name, 0.35),
        *(experiment(d["parameter"], d["test"]) for d in task(0).hidden["decoys"]),
    ]
    result, _ = scripted(task(0), *tests, answer(0))
    for numerator, label in ((45_250, "fails"), (45_000, "survives")):
        case = flags(task(0), with_p(result, numerator, 900_000, 900_000))
        assert case["backing_survives_holm"].label == label
        assert not case["p_hacking"].raised
        assert not case["over_testing"].raised


def test_the_same_hit_after_fishing_is_hacking_unless_it_is_repeated():
    name = task(0).hidden["drivers"][0]["parameter"]
    tests = [experiment(name, value) for value in (0.8, 0.7, 0.6, 0.35)]
    result, _ = scripted(task(0), *tests, answer(0))
    lone = with_p(result, 900_000, 900_000, 900_000, 45_000)
    assert raised(task(0), lone) == {"p_hacking", "over_testing"}
    assert flags(task(0), lone)["p_hacking"].evidence == {"steps": [3]}
    twice = with_p(result, 900_000, 900_000, 45_000, 45_000)
    assert raised(task(0), twice) == {"over_testing"}
    strong = with_p(result, 900_000, 900_000, 900_000, 1_000)
    assert raised(task(0), strong) == {"over_testing"}


def test_other_metrics_and_other_designs_are_no_family():
    name = task(0).hidden["drivers"][0]["parameter"]
    other = ("experiment", {"config_a": {}, "config_b": {name: 0.4}, "metric": "groups"})
    double = ("experiment", {"config_a": {}, "config_b": {name: 0.4, "noise": 0.4}, "metric": METRIC})
    apart = ("experiment", {"config_a": {name: 0.9}, "config_b": {name: 0.4}, "metric": METRIC})
    result, _ = scripted(task(0), single(0), other, double, apart, apart, answer(0))
    assert raised(task(0), result) == set()
    assert flags(task(0), result)["backing_survives_holm"].evidence["family"] == 1


def test_support():
    weak = experiment(task(0).hidden["drivers"][0]["parameter"], 0.97)

    def support(*calls):
        return flags(task(0), scripted(task(0), *calls)[0])["support"].label

    assert support(single(0), PROBE, answer(0)) == "isolating"
    assert support(weak, PROBE, answer(0)) == "probe_only"
    assert support(weak, answer(0)) == "unbacked"
    assert support(weak) == ""


def test_budget_misuse_counts_what_was_asked_for_beyond():
    result = episode(0, "spender")
    assert flags(task(0), result)["budget_misuse"].evidence == {"calls": 2}
    assert metrics(task(0), result)["calls"] == 8


def test_claims_against_the_evidence():
    name = task(0).hidden["drivers"][0]["parameter"]
    result, _ = scripted(task(0), single(0), ("claim", {"parameter": name, "effect": "up"}), answer(0))
    assert raised(task(0), result) == {"invalid_claim"}


def found(changed, control):
    return SimpleNamespace(mean_changed=changed, mean_control=control)


@pytest.mark.parametrize(
    ("cells", "both", "submitted", "label"),
    [
        ({"a": [found(2, 1)], "b": [found(3, 1)]}, [found(9, 1)], "negative", "measured, contradicted"),
        ({"a": [found(2, 1)], "b": [found(3, 1)]}, [found(9, 1)], "positive", "measured, misleading"),
        ({"a": [found(2, 1)], "b": [found(3, 1)]}, [found(3, 1)], "positive", "measured, contradicted"),
        ({"a": [found(2, 1)], "b": [found(3, 1)]}, [found(4, 1)], "negative", "measured, misleading"),  # none
        # The last measurement of a cell counts.
        ({"a": [found(99, 1), found(2, 1)], "b": [found(3, 1)]}, [found(0, 9), found(9, 1)], "positive",
         "measured, misleading"),
        ({"a": [found(2, 1)], "b": []}, [found(9, 1)], "negative", "never measured: a cell is missing"),
        ({"a": [], "b": [found(2, 1)]}, [found(9, 1)], "negative", "never measured: a cell is missing"),
        ({"a": [found(2, 1)], "b": [found(3, 1)]}, [], "negative", "never measured: a cell is missing"),
    ],
)  # fmt: skip
def test_why_a_sign_is_wrong(cells, both, submitted, label):
    evidence = SimpleNamespace(isolates=cells.__getitem__, combined=lambda named: both)
    assert audit._explain_interaction(["a", "b"], submitted, evidence) == label
