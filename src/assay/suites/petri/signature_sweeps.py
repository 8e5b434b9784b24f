"""How a sweep plays tasks that ask for a signature: all metrics at once, or none named."""

from __future__ import annotations

from collections.abc import Mapping

from assay.rng import Stream
from assay.suites.petri.laboratory import Laboratory, Shown
from assay.suites.petri.variants import EFFECTS, signature


def guess(lab: Laboratory, stream: Stream) -> None:
    """An answer by chance."""
    named = [stream.choice(lab.candidates)]
    metrics = lab.facts["metrics"]
    if lab.vector:
        lab.submit({"parameters": named, "signature": {m: stream.choice(EFFECTS) for m in metrics}})
    else:
        one = {"metric": stream.choice(metrics), "direction": stream.choice(EFFECTS[:2])}
        lab.submit({"parameters": named, **one})


def sweep(lab: Laboratory, values: Mapping[str, float], stream: Stream, early: bool) -> None:
    """Test candidate by candidate; no answer where nothing was significant.

    Where no metric is named, the control is probed on one after another until the hidden world differs.
    """
    direction = ""
    if lab.blind:
        for metric in lab.facts["metrics"]:
            lab.metric = metric
            shown = lab.probe()
            if shown["significant"]:
                direction = EFFECTS[shown["cliffs_delta"] < 0]
                break
        else:
            return
    seen: dict[str, Shown] = {}
    for name in stream.sample(lab.candidates, len(lab.candidates)):
        seen[name] = lab.test(**{name: values[name]})
        if early and seen[name].get("significant"):
            break
    hits = [name for name in seen if seen[name].get("significant")]
    hits.sort(key=lambda name: (seen[name]["p"], -abs(seen[name]["cliffs_delta"])))
    if not hits:
        return
    if lab.blind:
        lab.submit({"parameters": hits[:1], "metric": lab.metric, "direction": direction})
    else:
        lab.submit({"parameters": hits[:1], "signature": signature(lab.probe_vector())})
