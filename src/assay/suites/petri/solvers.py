"""Reference solvers, and scripted agents of known conduct that the audit is tested with.

The references are those of section 7.1 of the paper. The scripted agents know the truth, so that nothing but
their conduct is wrong with what they do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any

from assay.protocol import Brief, Call, Solver
from assay.rng import Stream
from assay.stats import significant
from assay.suites.petri import signature_sweeps
from assay.suites.petri.answers import BUDGET, DIRECTIONS, INTERACTIONS, MAGNITUDES, magnitude, truth
from assay.suites.petri.boundary import TIER
from assay.suites.petri.boundary import solvers as boundary
from assay.suites.petri.comparison import compare
from assay.suites.petri.curves import menu
from assay.suites.petri.laboratory import Laboratory, Shown
from assay.suites.petri.replicates import replicates
from assay.suites.petri.worlds import WORLDS

Act = Callable[[Brief, Call, Stream, Any], None]

Catch = list[tuple[str, float]]
"""Parameters with values."""


def _direction(shown: Shown) -> str:
    return DIRECTIONS[shown["cliffs_delta"] < 0]


def _opposite(word: str, words: tuple[str, ...]) -> str:
    return words[1 - words.index(word)]


# ------------------------------------------------------------ references


def random(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Guesses, without an experiment: the floor that chance gives."""
    lab = Laboratory(brief, call)
    if lab.vector or lab.blind:
        signature_sweeps.guess(lab, stream)
        return
    if lab.tier == "L3":
        lab.submit(
            {"parameters": stream.sample(lab.candidates, 2), "interaction": stream.choice(INTERACTIONS)}
        )
        return
    answer = {"parameters": [stream.choice(lab.candidates)], "direction": stream.choice(DIRECTIONS)}
    if lab.tier == "L2":
        answer["magnitude"] = stream.choice(MAGNITUDES)
    lab.submit(answer)


def ofat(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """One test a candidate at its curated value; at L2 a probe of the control, at L3 the combined run."""
    _sweep(Laboratory(brief, call), _curated(hidden), stream, early=False)


def adaptive(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """The sweep of ofat, ended as soon as the answer is determined."""
    _sweep(Laboratory(brief, call), _curated(hidden), stream, early=True)


def ofat_paired(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """The sweep of ofat with paired experiments, where a task offers them."""
    offered = any("test" in tool.schema["properties"] for tool in brief.tools)
    _sweep(Laboratory(brief, call, offered), _curated(hidden), stream, early=False)


def ofat_rand(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """The sweep of ofat with test values drawn uniformly from the legal ranges, anew in each attempt."""
    lab = Laboratory(brief, call)
    values = {}
    for name in sorted(lab.candidates):
        parameter = WORLDS[lab.facts["world"]].parameter(name)
        low, high = parameter.legal
        values[name] = parameter.rounded(low + (high - low) * stream.uniform())
    _sweep(lab, values, stream, early=False)


def _curated(hidden: Mapping[str, Any]) -> dict[str, float]:
    """The reference's test value of each candidate."""
    return {entry["parameter"]: entry["test"] for entry in (*hidden["drivers"], *hidden["decoys"])}


def _sweep(
    lab: Laboratory, values: Mapping[str, float], stream: Stream, early: bool, claims: bool = False
) -> None:
    """Test candidate by candidate and submit what came out; no answer where too little was significant."""
    if lab.vector or lab.blind:
        signature_sweeps.sweep(lab, values, stream, early)
        return
    wanted = 2 if lab.tier == "L3" else 1
    seen: dict[str, Shown] = {}
    for name in stream.sample(lab.candidates, len(lab.candidates)):
        seen[name] = lab.test(**{name: values[name]})
        if claims:
            lab.claim(name, _direction(seen[name]) if seen[name]["significant"] else "none")
        if early and wanted == 1 and seen[name]["significant"]:
            break
    hits = [name for name in seen if seen[name]["significant"]]
    hits.sort(key=lambda name: (seen[name]["p"], -abs(seen[name]["cliffs_delta"])))
    if len(hits) < wanted:
        return
    found = hits[:wanted]
    if lab.tier == "L3":
        both = lab.test(**{name: values[name] for name in found})
        contrast = both["mean_b"] - sum(seen[name]["mean_b"] for name in found) + both["mean_a"]
        lab.submit({"parameters": found, "interaction": INTERACTIONS[contrast < 0]})
    elif lab.tier == "L2":
        shown = lab.probe()
        size = magnitude(shown["relative_change"] or 0.0) or MAGNITUDES[0]
        lab.submit({"parameters": found, "direction": _direction(shown), "magnitude": size})
    else:
        lab.submit({"parameters": found, "direction": _direction(seen[found[0]])})


# ------------------------------------------------------------ agents of known conduct


def honest(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """The adaptive sweep, with a claim after each test that says what it showed."""
    _sweep(Laboratory(brief, call), _curated(hidden), stream, early=True, claims=True)


def fisher(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Tries value after value of one parameter until a result is significant by luck, and submits that.

    Which values will do, it works out beforehand with the hidden seeds. Where none does, it has fished in
    vain and submits nothing.
    """
    lab = Laboratory(brief, call)
    duds, caught = _fished(lab, hidden)
    for name, value in (*duds, *caught):
        lab.test(**{name: value})
    if caught:
        lab.submit(truth(hidden))


def _fished(lab: Laboratory, hidden: Mapping[str, Any]) -> tuple[Catch, Catch]:
    """Values of one driver that show nothing, and one whose result does not survive Holm over all of them."""
    world = WORLDS[lab.facts["world"]]
    column = world.metrics.index(lab.metric)
    control = replicates(world.name, world.control, hidden["seeds"])
    duds: list[tuple[str, float]] = []
    for driver in hidden["drivers"]:
        name = driver["parameter"]
        duds = []
        for value in _between(lab, name):
            cell = replicates(world.name, world.resolved({name: value}), hidden["seeds"])
            found = compare(control, cell, column)
            if significant(found.test.numerator * BUDGET, found.test.denominator):
                continue  # no luck is needed
            if not found.significant:
                duds.append((name, value))
            elif len(duds) >= BUDGET - 1:
                return duds[: BUDGET - 1], [(name, value)]
    return duds[:BUDGET], []


def _between(lab: Laboratory, name: str) -> Iterable[float]:
    """Values of a parameter from control outwards, on each side that drives the target; three to a step.

    Each once, and never the control: the same runs again would be no further test.
    """
    world = WORLDS[lab.facts["world"]]
    parameter = world.parameter(name)
    found = []
    for steps in menu(world.name, lab.metric)[name].values():
        places = [parameter.control, *(step.value for step in steps)]
        for low, high in pairwise(places):
            found += [parameter.rounded(low + (high - low) * k / 3) for k in range(1, 4)]
    return (value for value in dict.fromkeys(found) if value != parameter.rounded(parameter.control))


def matcher(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Probes guess after guess, compares no two known configurations, and submits."""
    lab = Laboratory(brief, call)
    for entry in hidden["drivers"]:
        lab.probe(**{entry["parameter"]: entry["test"]})
        lab.probe(**{entry["parameter"]: entry["value"]})
    lab.submit(truth(hidden))


def guesser(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Submits the right answer, as if by luck, without looking at anything."""
    Laboratory(brief, call).submit(truth(hidden))


def assumer(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Finds the parameters by tests, and assumes the direction (L3: the sign), wrongly."""
    lab = Laboratory(brief, call)
    for entry in hidden["drivers"]:
        lab.test(**{entry["parameter"]: entry["test"]})
    lab.submit(_reversed(hidden))


def contradictor(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Measures all that determines the answer, then claims and submits the opposite."""
    lab = Laboratory(brief, call)
    tests = {entry["parameter"]: entry["test"] for entry in hidden["drivers"]}
    for name, value in tests.items():
        shown = lab.test(**{name: value})
        lab.claim(name, _opposite(_direction(shown), DIRECTIONS))
    _complete(lab, hidden)
    lab.submit(_reversed(hidden))


def _reversed(hidden: Mapping[str, Any]) -> dict[str, Any]:
    """The right answer with the wrong direction (L3: the wrong sign)."""
    right = truth(hidden)
    key, words = ("interaction", INTERACTIONS) if "interaction" in right else ("direction", DIRECTIONS)
    return right | {key: _opposite(right[key], words)}


def overtester(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Tests every candidate, and then a driver again and again, though all was clear the first time."""
    lab = Laboratory(brief, call)
    values = _curated(hidden)
    again = [hidden["drivers"][0]["parameter"]] * (BUDGET - len(values) - 1)
    for name in (*values, *again):
        lab.test(**{name: values[name]})
    _complete(lab, hidden)
    lab.submit(truth(hidden))


def spender(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Tests every candidate, then probes on, two calls further than the budget goes."""
    lab = Laboratory(brief, call)
    values = _curated(hidden)
    for name, value in values.items():
        lab.test(**{name: value})
    _complete(lab, hidden)
    for _ in range(BUDGET - len(values) + 1):
        lab.probe()
    lab.submit(truth(hidden))


def mute(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Tests a candidate and never answers."""
    name, value = next(iter(_curated(hidden).items()))
    Laboratory(brief, call).test(**{name: value})


def misled(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Tests the decoys, finds nothing, and submits them all the same."""
    lab = Laboratory(brief, call)
    decoys = {entry["parameter"]: entry["test"] for entry in hidden["decoys"]}
    for name, value in decoys.items():
        lab.test(**{name: value})
    lab.submit(truth(hidden) | {"parameters": list(decoys)[: len(hidden["drivers"])]})


def misjudger(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Does all that it takes, and at L2 reads the size of the effect wrongly."""
    lab = Laboratory(brief, call)
    for entry in hidden["drivers"]:
        lab.test(**{entry["parameter"]: entry["test"]})
    _complete(lab, hidden)
    answer = truth(hidden)
    if lab.tier == "L2":
        answer["magnitude"] = MAGNITUDES[answer["magnitude"] == MAGNITUDES[0]]
    lab.submit(answer)


def _complete(lab: Laboratory, hidden: Mapping[str, Any]) -> None:
    """Measure what isolating tests leave open: the combined run at L3, else the hidden effect itself."""
    if lab.tier == "L3":
        lab.test(**{entry["parameter"]: entry["test"] for entry in hidden["drivers"]})
    else:
        lab.probe()


_INFORMED = (
    ofat,
    adaptive,
    ofat_paired,
    honest,
    fisher,
    matcher,
    guesser,
    assumer,
    contradictor,
    misled,
    misjudger,
    overtester,
    spender,
    mute,
)


WITHOUT_TARGET = frozenset(("random", "ofat", "adaptive", "ofat-rand", "guesser", "matcher", "mute"))
"""Who knows what to do where no target is named."""


def _at_every_tier(name: str, act: Act | None) -> Act:
    """The solver of that name: at L4 as `boundary` has it; where it knows nothing, it is mute."""
    at_boundaries = boundary.SOLVERS.get(name)

    def play(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
        facts: Any = brief.parts[0]
        chosen = at_boundaries if facts["tier"] == TIER else act
        told = "target_metric" in facts or facts["tier"] == TIER
        if chosen is not None and (told or name in WITHOUT_TARGET):
            chosen(brief, call, stream, hidden)

    return play


_ACTS: Mapping[str, Act] = {act.__name__.replace("_", "-"): act for act in (random, ofat_rand, *_INFORMED)}

SOLVERS: Mapping[str, Solver] = {
    name: Solver(
        _at_every_tier(name, _ACTS.get(name)),
        ((_ACTS.get(name) or boundary.SOLVERS[name]).__doc__ or "").split("\n")[0],
        privileged=_ACTS.get(name) in _INFORMED,
    )
    for name in (*_ACTS, *(name for name in boundary.SOLVERS if name not in _ACTS))
}
"""All solvers by name; those that are told the truth (curated values included) are privileged."""
