"""The two front ends: what each says to every kind of record, and that both give the same values."""

from __future__ import annotations

import json

import pytest
from tests.suites.causalab.examples import FIRST_RAW, TARGET
from tests.suites.causalab.playing import changed, record, scripted, solved, task

from assay.suites.causalab.simulation.conditions import Setup, step_cap
from assay.suites.causalab.simulation.embodied import MANIPULATOR, REACTOR, Embodied
from assay.suites.causalab.transcript import transcript_of

FIRST = changed(task("main-v0", 1), FIRST_RAW)


def intervene(name, value, **more):
    return record(op="intervene", property=name, value=value, **more)


def test_the_brief_shows_records_state_and_limits_and_no_more():
    _, _, brief = scripted(FIRST, [])
    facts = brief.parts[0]
    assert [r[TARGET] for r in facts["records"]] == [42.0, 91.0]
    assert facts["manipulator"] == {"density": 27, "moisture": 6, TARGET: 58.0, "quantumSize": 27}
    assert (facts["interventions"], facts["submissions"], facts["steps"]) == (12, 3, 53)
    assert brief.limits["step"] == 53
    assert brief.reply == "record"
    reply = json.dumps([brief.system, *brief.parts])
    assert "coeff_density_freq" not in reply
    blind = changed(FIRST, initial_state=False)
    assert "manipulator" not in scripted(blind, [])[2].parts[0]


def test_an_episode_in_the_text_protocol():
    episode, replies, _ = scripted(
        FIRST,
        [
            intervene("density", 40),
            record(op="open_reactor"),
            record(op="predict", value=0),
            record(op="predict", value=47 + 90 + 25),
            record(op="stop"),
        ],
    )
    assert replies[0] == {
        "values": {"density": 40.0, "moisture": 6, TARGET: 71.0, "quantumSize": 40.0},
        "uses": 1,
        "max": 12,
    }
    assert replies[1] == {"reactor_properties": {"density": 47, "moisture": 90, "quantumSize": 87 + 47}}
    assert replies[2:] == [
        {"accepted": False, "remaining": 2},
        {"accepted": True, "remaining": 1},
        "the episode is over",
    ]
    assert episode.status == "done"
    assert episode.submission["completed"]
    assert episode.counters["step"] == 4


@pytest.mark.parametrize(
    ("texts", "code"),
    [
        ([intervene("heat", 1)], "unknown_property"),
        ([intervene(TARGET, 1)], "not_controllable"),
        ([intervene("density", "1")], "not_numeric"),
        ([intervene("density", None)], "not_numeric"),
        ([record(op="open_reactor"), intervene("density", 1)], "locked"),
        ([record(op="predict", value="x")], "not_numeric"),
        ([record(op="predict", value=0)] * 4, "submission_limit"),
        ([intervene("density", 1)] * 13, "budget_exhausted"),
    ],
)
def test_what_the_laboratory_refuses_costs_a_step_and_nothing_else(texts, code):
    episode, replies, _ = scripted(FIRST, texts)
    assert replies[-1]["error"] == code
    assert all("error" not in reply for reply in replies[:-1])
    assert episode.counters["step"] == len(texts)


def test_a_broken_record_is_sent_back_twice_then_the_step_is_lost():
    bad = record(op="dance")
    episode, replies, _ = scripted(FIRST, [bad, "no json", bad, intervene("density", 40), bad])
    assert [reply.get("reprompt") for reply in replies] == [2, 1, None, None, 2]
    assert replies[0]["field"] == "op"
    assert replies[1]["field"] == "record"
    assert replies[2]["error"] == "parse_failure"
    assert replies[3]["uses"] == 1
    assert episode.counters["step"] == 2
    transcript = transcript_of(Setup(FIRST), episode)
    assert (transcript.failures, len(transcript.interventions)) == (1, 1)


def test_the_cap_on_steps():
    episode, replies, _ = scripted(FIRST, [intervene("heat", 1)] * 60)
    assert episode.counters["step"] == 53
    assert "the budget is spent" in replies[53]
    assert [step_cap(k, 4 * (k - 1), True) for k in (3, 4, 5, 6, 7)] == [52, 53, 54, 55, 56]
    assert [step_cap(k, 12, False) for k in (3, 7)] == [52, 56]


def test_a_check_comes_once_and_shows_residuals():
    reply = {
        "edges": [{"from": "density", "to": TARGET}],
        "freq_equation": "base + c_density * density",
        "coefficients": {"base": 25, "c_density": 1},
    }
    of = changed(FIRST, verification="intercept")
    episode, replies, _ = scripted(
        of, [record(reply, op="predict", value=0), record(reply, op="predict", value=0), record(op="stop")]
    )
    assert [item["residual"] for item in replies[0]["verification"]] == [3.0, 31.0, 6.0]
    assert replies[1] == {"accepted": False, "remaining": 2}
    assert episode.counters["step"] == 2
    _, replies, _ = scripted(of, [record(op="open_reactor")])
    assert {item["residual"] for item in replies[0]["verification"]} == {None}


# ------------------------------------------------------------ the embodied front

ROOM = changed(FIRST, front="embodied")


def acted(*actions):
    return scripted(ROOM, [record(**action) for action in actions])


TO_MENU = [{"action": "TELEPORT_TO_OBJECT", "arg1": MANIPULATOR}, {"action": "TALK", "arg1": MANIPULATOR}]


def test_the_same_requests_give_the_same_values_in_both_fronts():
    requests = [("density", 40), ("moisture", -3.5), ("quantumSize", 7), ("density", 12)]
    _, text, _ = scripted(FIRST, [intervene(*request) for request in requests])
    order = list(Setup(ROOM).model.controllable)
    actions = list(TO_MENU)
    for name, value in requests:
        actions += [{"chosen_dialog_option_int": order.index(name) + 1}, {"value": value}]
    episode, _, _ = acted(*actions)
    transcript = transcript_of(Setup(ROOM), episode)
    assert [done.values for done in transcript.interventions] == [reply["values"] for reply in text]
    assert [(done.target, done.value) for done in transcript.interventions] == requests


def test_a_visit_as_documented():
    _, replies, brief = acted(
        *TO_MENU, {"chosen_dialog_option_int": 2}, {"value": "40"}, {"chosen_dialog_option_int": 4}
    )
    start = brief.parts[-1]
    assert start["location"] == {"x": 16, "y": 18, "facing": "south"}
    assert {thing["uuid"] for thing in start["accessible"]} >= {REACTOR}
    assert MANIPULATOR not in {thing["uuid"] for thing in start["accessible"]}
    assert list(replies[1]["dialog_box"]["dialogOptions"].values()) == [
        "Adjust quantumSize",
        "Adjust density",
        "Adjust moisture",
        "Exit",
    ]
    assert "  Uses: 0/12 (Remaining: 12)" in replies[1]["dialog_box"]["dialogIn"]
    assert "Uses: 1/12" in replies[3]["dialog_box"]["dialogIn"]
    assert not replies[4]["in_dialog"]


@pytest.mark.parametrize(
    ("actions", "success", "message"),
    [
        ([{"action": "WAIT"}], False, "Unknown action 'WAIT'."),
        ([{}], False, "missing the key 'action'"),
        ([{"action": "TALK", "arg1": 9999}], False, "Could not find object with UUID"),
        ([{"action": "TALK", "arg1": MANIPULATOR}], False, "Could not find object with UUID"),
        ([{"action": "MOVE_DIRECTION", "arg1": "up"}], False, "A direction is"),
        ([{"action": "MOVE_DIRECTION", "arg1": "north"}], False, "in the way"),
        ([*TO_MENU, {"chosen_dialog_option_int": 9}], False, "An option is"),
        ([*TO_MENU, {"chosen_dialog_option_int": "one"}], False, "An option is"),
        ([*TO_MENU, {"chosen_dialog_option_int": "1"}], True, "Enter a value"),
        ([*TO_MENU, {"value": 3}, {"chosen_dialog_option_int": 9}], False, "An option is"),
        ([*TO_MENU, {"value": 3}, {"value": 3}, {"chosen_dialog_option_int": 1}], True, "Enter a value"),
        ([*TO_MENU, {"value": 3}], True, "begins anew"),
        ([*TO_MENU, {"value": 3}, {"chosen_dialog_option_int": 1}], True, "begins anew"),
        ([*TO_MENU, {"chosen_dialog_option_int": 1}, {"value": "x"}], False, "Invalid property value"),
        (
            [*TO_MENU, {"chosen_dialog_option_int": 1}, {"chosen_dialog_option_int": 1}],
            False,
            "provide 'value'",
        ),
    ],
)
def test_documented_errors_cost_a_step_and_no_use(actions, success, message):
    episode, replies, _ = acted(*actions)
    assert replies[-1]["success"] is success
    assert message in replies[-1]["message"]
    assert episode.counters["step"] == len(actions)
    assert not transcript_of(Setup(ROOM), episode).interventions


def test_the_reactor_locks_the_manipulator_and_lists_phantoms():
    _, replies, _ = acted({"action": "TALK", "arg1": REACTOR}, {"chosen_dialog_option_int": 2}, *TO_MENU)
    view = replies[0]["dialog_box"]["dialogIn"]
    assert "- temperatureC: 25.0" in view
    assert "- density: 47" in view
    assert TARGET not in view
    assert "REACTOR ALREADY OPENED!" in replies[-1]["dialog_box"]["dialogIn"]
    assert list(replies[-1]["dialog_box"]["dialogOptions"].values()) == ["Exit"]


def test_without_a_budget_the_crystal_can_still_be_read():
    of = changed(ROOM, budget=0)
    _, replies, _ = scripted(of, [record(**action) for action in TO_MENU])
    view = replies[-1]["dialog_box"]
    assert list(view["dialogOptions"].values()) == ["Exit"]
    assert f"  {TARGET}: 58.0" in view["dialogIn"]
    assert "Uses: 0/0 (Remaining: 0)" in view["dialogIn"]


def test_after_the_last_use_the_menu_stays_until_the_next_choice():
    of = changed(ROOM, budget=1)
    steps = [*TO_MENU, {"chosen_dialog_option_int": 1}, {"value": 5}, {"chosen_dialog_option_int": 1}]
    _, replies, _ = scripted(of, [record(**action) for action in steps])
    assert len(replies[3]["dialog_box"]["dialogOptions"]) == 4
    assert list(replies[4]["dialog_box"]["dialogOptions"].values()) == ["Exit"]


def test_a_solver_with_a_body():
    for index in range(5):
        episode = solved(task("embodied-v0", index), "visitor")
        assert episode.submission["completed"]


def _sequence(chance):
    """A random sequence of payloads: walks, dialogs, wrong payloads, values of every kind."""
    payloads = []
    for _ in range(chance.randint(5, 60)):
        payloads.append(
            chance.choice(
                [
                    {"action": "TELEPORT_TO_OBJECT", "arg1": chance.choice([MANIPULATOR, REACTOR, "102", 9])},
                    {"action": "TALK", "arg1": chance.choice([MANIPULATOR, REACTOR, "101", 202])},
                    {"chosen_dialog_option_int": chance.choice([0, 1, 2, 3, 4, 5, "1", "2", "x", True, 1.0])},
                    {"value": chance.choice([3, "40", "x", None, 1e15, -7.5, True])},
                    {"action": "WAIT"},
                    {},
                ]
            )
        )
    return payloads


@pytest.mark.parametrize("block", range(10))
def test_no_sequence_traps_the_body(block):
    """In 1,000 sequences the body can always leave its dialog, and documented rules hold at each step."""
    from random import Random

    setup = Setup(changed(ROOM, budget=2))
    for seed in range(100 * block, 100 * block + 100):
        body = Embodied(setup.laboratory())
        for payload in _sequence(Random(seed)):
            screen, asleep, uses = body.screen, body.asleep, body.lab.uses
            ok, message = body.act(payload)
            option = payload.get("chosen_dialog_option_int")
            wrong = screen in ("menu", "locked", "reactor") and "chosen_dialog_option_int" not in payload
            assert (not wrong) or (ok and body.asleep is not asleep)
            if wrong and screen == "menu" and (body.lab.opened or not body.lab.remaining):
                assert body.screen == "locked"
            if "An option is" in message:
                assert not ok and (body.screen, body.asleep) == (screen, asleep)
            if screen in ("menu", "reactor") and asleep and type(option) in (int, str) and option in ("1", 1):
                assert message == "The dialog begins anew." and body.screen == screen
            assert body.lab.uses == uses or message == "The property is set."
            if body.lab.reactor.completed:
                break
        for _ in range(6):
            if not body.screen:
                break
            options = body._dialog()[1]
            body.act(
                {"value": 1}
                if body.screen in ("value", "frequency")
                else {"chosen_dialog_option_int": len(options)}
            )
        assert not body.screen, (seed, body.screen)
