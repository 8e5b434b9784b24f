"""How a sweep plays tasks that ask for a signature: all metrics at once, or none named."""

from __future__ import annotations

from collections.abc import Mapping

from assay.numbers.rng import Stream
from assay.suites.petri.questions.variants import EFFECTS, signature
from assay.suites.petri.solvers.client import Client, Shown


def guess(client: Client, stream: Stream) -> None:
    """An answer by chance."""
    named = [stream.choice(client.candidates)]
    metrics = client.facts["metrics"]
    if client.vector:
        client.submit({"parameters": named, "signature": {m: stream.choice(EFFECTS) for m in metrics}})
    else:
        effect = {"metric": stream.choice(metrics), "direction": stream.choice(EFFECTS[:2])}
        client.submit({"parameters": named, **effect})


def sweep(client: Client, values: Mapping[str, float], stream: Stream, early: bool) -> None:
    """Test candidate by candidate; no answer where nothing was significant.

    Where no metric is named, the control is probed on one after another until the hidden world differs.
    """
    direction = ""
    if client.blind:
        for metric in client.facts["metrics"]:
            client.metric = metric
            statistics = client.probe()
            if statistics["significant"]:
                direction = EFFECTS[statistics["cliffs_delta"] < 0]
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
        client.submit({"parameters": hits[:1], "metric": client.metric, "direction": direction})
    else:
        client.submit({"parameters": hits[:1], "signature": signature(client.probe_vector())})
