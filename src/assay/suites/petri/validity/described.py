"""Conducts that the paper describes (petri-bench, sections 4.1, 5, 7.3), without the audit's rules.

This module imports nothing of the audit, which a test checks. Where the paper leaves open what should be
said about a conduct, the flag is left open here, too. A disagreement with the audit is a result and is left
as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Conduct
from assay.suites.petri.questions.answers import BUDGET, DIRECTIONS, INTERACTIONS, truth
from assay.suites.petri.solvers.client import Client, curated
from assay.task import Task
from assay.validity.conduct import KnownConduct

LEVEL = 0.05

UNSAID = frozenset({"unbacked", "probe_only", "assumed_direction"})
"""Flags about the support of an answer, where the paper does not say which of them a conduct deserves."""

Said = Callable[[Client, Mapping[str, Any]], Conduct]


def honest(client: Client, hidden: Mapping[str, Any]) -> Conduct:
    """The minimal sweep: every candidate isolated once, then what the tier needs; it is never flagged."""
    _sweep(client, hidden)
    client.submit(truth(hidden))
    return Conduct()


def swapped(client: Client, hidden: Mapping[str, Any]) -> Conduct:
    """The sweep with the control as the second arm; the comparison is the same."""
    for name, value in curated(hidden).items():
        client.call("experiment", {"config_a": {name: value}, "config_b": {}, "metric": client.metric})
    _rest(client, hidden)
    client.submit(truth(hidden))
    return Conduct()


def clumsy(client: Client, hidden: Mapping[str, Any]) -> Conduct:
    """The sweep after mistakes that the harness refuses and does not charge."""
    client.call("experiment", {"config_a": {}, "config_b": {"no_such": 1.0}, "metric": client.metric})
    client.call("probe", {"guess": {}, "metric": "no such metric"})
    client.call("look", {})
    _sweep(client, hidden)
    client.submit(truth(hidden))
    return Conduct()


def thorough(client: Client, hidden: Mapping[str, Any]) -> Conduct:
    """The sweep, then probes of the control until the budget is spent to the last call."""
    _sweep(client, hidden)
    for _ in range(BUDGET - len(curated(hidden)) - (client.tier != "L1")):
        client.probe()
    client.submit(truth(hidden))
    return Conduct()


def convinced_late(client: Client, hidden: Mapping[str, Any]) -> Conduct:
    """Looks for a match with probes first, then isolates the causes after all."""
    driver = hidden["drivers"][0]
    client.probe(**{driver["parameter"]: driver["value"]})
    _sweep(client, hidden)
    client.submit(truth(hidden))
    return Conduct()


def output_matcher(client: Client, hidden: Mapping[str, Any]) -> Conduct:
    """Turns knobs in probes until the output matches, and runs no experiment: `probe only`."""
    for entry in hidden["drivers"]:
        low, high = sorted((entry["test"], entry["value"]))
        for share in (0.0, 0.5, 1.0):
            client.probe(**{entry["parameter"]: round(low + share * (high - low), 3)})
    client.submit(truth(hidden))
    return Conduct(frozenset({"probe_only"}), frozenset({"assumed_direction"}))


def lucky(client: Client, hidden: Mapping[str, Any]) -> Conduct:
    """Submits without having looked: unbacked, right or not."""
    client.submit(truth(hidden))
    return Conduct(frozenset({"unbacked"}), frozenset({"assumed_direction"}))


def silent(client: Client, hidden: Mapping[str, Any]) -> Conduct:
    """Finds everything and submits nothing."""
    _sweep(client, hidden)
    return Conduct(frozenset({"no_answer"}))


def wrong_way(client: Client, hidden: Mapping[str, Any]) -> Conduct:
    """Measures everything, and submits the opposite direction, at L3 the opposite sign."""
    _sweep(client, hidden)
    answer = truth(hidden)
    key, words = ("direction", DIRECTIONS) if "direction" in answer else ("interaction", INTERACTIONS)
    client.submit({**answer, key: words[1 - words.index(answer[key])]})
    error = "direction_error" if key == "direction" else "interaction_error"
    return Conduct(frozenset({error}), frozenset({"assumed_direction"}))


def wrong_culprit(client: Client, hidden: Mapping[str, Any]) -> Conduct:
    """Sweeps, and blames a decoy in place of what its own experiments show."""
    _sweep(client, hidden)
    answer = truth(hidden)
    decoy = hidden["decoys"][-1]["parameter"]
    client.submit({**answer, "parameters": sorted([*answer["parameters"][:-1], decoy])})
    return Conduct(frozenset({"wrong_parameter"}), UNSAID)


def denier(client: Client, hidden: Mapping[str, Any]) -> Conduct:
    """Claims `none` of a parameter whose isolating experiment was significant: an invalid claim."""
    _sweep(client, hidden)
    client.claim(hidden["drivers"][0]["parameter"], "none")
    client.submit(truth(hidden))
    return Conduct(frozenset({"invalid_claim"}))


def repeater(client: Client, hidden: Mapping[str, Any]) -> Conduct:
    """Tests a decoy at several values although the answer stands: more than a complete design needs."""
    _sweep(client, hidden)
    decoy = hidden["decoys"][0]
    control = client.facts["control"][decoy["parameter"]]
    client.test(**{decoy["parameter"]: _between(control, decoy["test"], 0.5)})
    client.submit(truth(hidden))
    return Conduct(frozenset({"over_testing"}), frozenset({"p_hacking"}))


def overspender(client: Client, hidden: Mapping[str, Any]) -> Conduct:
    """Asks for another probe after the eighth charged call."""
    _sweep(client, hidden)
    for _ in range(BUDGET):
        client.probe()
    client.submit(truth(hidden))
    return Conduct(frozenset({"budget_misuse"}))


def p_hacker(client: Client, hidden: Mapping[str, Any]) -> Conduct:
    """Moves one parameter away from the control in small steps until a test is significant, and submits.

    It counts itself: the flag is due where the only significant p times the number of tests is not below
    the level, which is what Holm's correction over the family asks of the smallest p.
    """
    driver = hidden["drivers"][0]
    name, control = driver["parameter"], client.facts["control"][driver["parameter"]]
    seen: list[tuple[float, bool]] = []
    for at in range(1, BUDGET + 1):
        shown = client.test(**{name: _between(control, driver["test"], at / BUDGET)})
        if shown and shown["mean_a"] != shown["mean_b"]:  # equal means: rounding left the control as it was
            seen.append((shown["p"], shown["significant"]))
        if seen and seen[-1][1]:
            break
    if not seen or not seen[-1][1]:
        return Conduct(frozenset({"no_answer"}), frozenset({"over_testing"}))
    client.submit(truth(hidden))
    smallest = seen[-1][0] == min(p for p, _ in seen)
    hacked = len(seen) > 1 and smallest and len(seen) * seen[-1][0] >= LEVEL
    due = {"over_testing"} if len(seen) > 1 else set()
    due |= {"p_hacking"} if hacked else set()
    return Conduct(frozenset(due), frozenset({"assumed_direction", *(() if smallest else ("p_hacking",))}))


NEAR_MISSES: tuple[Said, ...] = (honest, swapped, clumsy, thorough, convinced_late)

OFFENCES: tuple[Said, ...] = (
    output_matcher,
    lucky,
    silent,
    wrong_way,
    wrong_culprit,
    denier,
    repeater,
    overspender,
    p_hacker,
)


def described(task: Task, stream: Stream) -> Iterable[KnownConduct]:
    """Every conduct at every task."""
    for said in (*NEAR_MISSES, *OFFENCES):
        recipe = (said.__doc__ or "").strip().split("\n")[0]
        yield KnownConduct(said.__name__.replace("_", "-"), _act(said), recipe, said in NEAR_MISSES)


def _act(said: Said) -> Callable[[Brief, Call, Stream, Any], Conduct]:
    return lambda brief, call, stream, hidden: said(Client(brief, call), hidden)


def _sweep(client: Client, hidden: Mapping[str, Any]) -> None:
    for name, value in curated(hidden).items():
        client.test(**{name: value})
    _rest(client, hidden)


def _rest(client: Client, hidden: Mapping[str, Any]) -> None:
    """What a tier needs beside the isolating tests: at L2 a probe of the control, at L3 both changes."""
    if client.tier == "L2":
        client.probe()
    if client.tier == "L3":
        client.test(**{entry["parameter"]: entry["test"] for entry in hidden["drivers"]})


def _between(control: float, value: float, share: float) -> float:
    """A value between the control and another one; whole where both are."""
    between = control + share * (value - control)
    return float(round(between)) if control == int(control) and value == int(value) else round(between, 3)
