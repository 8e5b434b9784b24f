"""A shortcut at the sets v0: both ends of the legal ranges, which refusals give away for free."""

from __future__ import annotations

from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.petri.questions.answers import BUDGET, INTERACTIONS, MAGNITUDES, magnitude
from assay.suites.petri.solvers.client import Client, Shown, direction
from assay.suites.petri.worlds import WORLDS


def play(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Test candidates at both ends until enough are significant; then measure what the answer asks for."""
    client = Client(brief, call)
    wanted = 2 if client.tier == "L3" else 1
    best: dict[str, tuple[float, Shown]] = {}
    calls = 0
    for name in stream.sample(client.candidates, len(client.candidates)):
        parameter = WORLDS[client.facts["world"]].parameter(name)
        for end in parameter.legal:
            enough = sum(bool(shown["significant"]) for _, shown in best.values()) >= wanted
            if end == parameter.control or enough or calls >= BUDGET - 1:
                continue
            shown = client.test(**{name: end})
            calls += 1
            if name not in best or shown["p"] < best[name][1]["p"]:
                best[name] = (end, shown)
    named = sorted(best, key=lambda name: (best[name][1]["p"], name))[:wanted]
    if client.tier == "L3":
        both = client.test(**{name: best[name][0] for name in named})
        contrast = both["mean_b"] - sum(best[name][1]["mean_b"] for name in named) + both["mean_a"]
        client.submit({"parameters": named, "interaction": INTERACTIONS[contrast < 0]})
        return
    probe = client.probe()
    answer: dict[str, Any] = {"parameters": named, "direction": direction(probe)}
    if client.tier == "L2":
        answer["magnitude"] = magnitude(probe["relative_change"] or 0.0) or MAGNITUDES[0]
    client.submit(answer)
