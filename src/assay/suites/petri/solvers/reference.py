"""The reference solvers of section 7.1 of the paper: a guess, and sweeps over the candidates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.numbers.rng import Stream
from assay.suites.petri.questions.answers import (
    DIRECTIONS,
    EFFECTS,
    INTERACTIONS,
    MAGNITUDES,
    magnitude,
    signature,
)
from assay.suites.petri.solvers.client import Act, Client, Shown, curated, direction
from assay.suites.petri.worlds import WORLDS


def random(client: Client, stream: Stream, hidden: Any) -> None:
    """Guesses without an experiment, which gives the score of chance."""
    if client.vector or client.blind:
        _guess_signature(client, stream)
        return
    if client.tier == "L3":
        client.submit(
            {"parameters": stream.sample(client.candidates, 2), "interaction": stream.choice(INTERACTIONS)}
        )
        return
    answer = {"parameters": [stream.choice(client.candidates)], "direction": stream.choice(DIRECTIONS)}
    if client.tier == "L2":
        answer["magnitude"] = stream.choice(MAGNITUDES)
    client.submit(answer)


def ofat(client: Client, stream: Stream, hidden: Any) -> None:
    """Tests each candidate at its curated value; then probes the control (L2) or tests both drivers (L3)."""
    sweep(client, curated(hidden), stream, early=False)


def adaptive(client: Client, stream: Stream, hidden: Any) -> None:
    """Like ofat, but stops as soon as the answer is determined."""
    sweep(client, curated(hidden), stream, early=True)


def ofat_paired(client: Client, stream: Stream, hidden: Any) -> None:
    """Like ofat, but with paired experiments if the task offers them."""
    client.paired = any("test" in tool.schema["properties"] for tool in client.brief.tools)
    sweep(client, curated(hidden), stream, early=False)


def ofat_rand(client: Client, stream: Stream, hidden: Any) -> None:
    """Like ofat, but draws test values uniformly from the legal ranges in each attempt."""
    values = {}
    for name in sorted(client.candidates):
        parameter = WORLDS[client.facts["world"]].parameter(name)
        low, high = parameter.legal
        values[name] = parameter.rounded(low + (high - low) * stream.uniform())
    sweep(client, values, stream, early=False)


def sweep(
    client: Client, values: Mapping[str, float], stream: Stream, early: bool, claims: bool = False
) -> None:
    """Test one candidate after another and submit the result, unless too few tests were significant."""
    if client.vector or client.blind:
        _sweep_signatures(client, values, stream, early)
        return
    wanted = 2 if client.tier == "L3" else 1
    seen: dict[str, Shown] = {}
    for name in stream.sample(client.candidates, len(client.candidates)):
        seen[name] = client.test(**{name: values[name]})
        if claims:
            client.claim(name, direction(seen[name]) if seen[name]["significant"] else "none")
        if early and wanted == 1 and seen[name]["significant"]:
            break
    hits = [name for name in seen if seen[name]["significant"]]
    hits.sort(key=lambda name: (seen[name]["p"], -abs(seen[name]["cliffs_delta"])))
    if len(hits) < wanted:
        return
    drivers = hits[:wanted]
    if client.tier == "L3":
        both = client.test(**{name: values[name] for name in drivers})
        contrast = both["mean_b"] - sum(seen[name]["mean_b"] for name in drivers) + both["mean_a"]
        client.submit({"parameters": drivers, "interaction": INTERACTIONS[contrast < 0]})
    elif client.tier == "L2":
        direct = client.probe()
        size = magnitude(direct["relative_change"] or 0.0) or MAGNITUDES[0]
        client.submit({"parameters": drivers, "direction": direction(direct), "magnitude": size})
    else:
        client.submit({"parameters": drivers, "direction": direction(seen[drivers[0]])})


def _guess_signature(client: Client, stream: Stream) -> None:
    """Submit a random answer to a task that asks for a signature."""
    named = [stream.choice(client.candidates)]
    metrics = client.facts["metrics"]
    if client.vector:
        client.submit({"parameters": named, "signature": {m: stream.choice(EFFECTS) for m in metrics}})
    else:
        effect = {"metric": stream.choice(metrics), "direction": stream.choice(EFFECTS[:2])}
        client.submit({"parameters": named, **effect})


def _sweep_signatures(client: Client, values: Mapping[str, float], stream: Stream, early: bool) -> None:
    """Test one candidate after another and submit the result, unless nothing was significant.

    If no metric is named, the control is first probed on one metric after another until one differs.
    """
    effect = ""
    if client.blind:
        for metric in client.facts["metrics"]:
            client.metric = metric
            statistics = client.probe()
            if statistics["significant"]:
                effect = EFFECTS[statistics["cliffs_delta"] < 0]
                break
        else:
            return
    seen: dict[str, Shown] = {}
    for name in stream.sample(client.candidates, len(client.candidates)):
        seen[name] = client.test(**{name: values[name]})
        if early and seen[name].get("significant"):
            break
    hits = [name for name in seen if seen[name].get("significant")]
    hits.sort(key=lambda name: (seen[name]["p"], -abs(seen[name]["cliffs_delta"])))
    if not hits:
        return
    if client.blind:
        client.submit({"parameters": hits[:1], "metric": client.metric, "direction": effect})
    else:
        client.submit({"parameters": hits[:1], "signature": signature(client.probe_vector())})


ACTS: Mapping[str, Act] = {
    "random": random,
    "ofat-rand": ofat_rand,
    "ofat": ofat,
    "adaptive": adaptive,
    "ofat-paired": ofat_paired,
}

PRIVILEGED = frozenset({"ofat", "adaptive", "ofat-paired"})
"""The references that are given the curated test values, which are part of the truth."""

ABOUT: Mapping[str, str] = {name: (act.__doc__ or "").split("\n")[0] for name, act in ACTS.items()}
"""One line about each. It is read here so that this module's fingerprint includes its docstrings."""
