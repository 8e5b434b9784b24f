"""Likelihoods and efficiencies in the forms that pyhf and SModelS read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from assay import canonical
from assay.suites.collider.limits.counting import CountingBin
from assay.suites.collider.limits.likelihood import upper_limit
from assay.suites.collider.limits.points import SignalPoint, limit, signal_points

TX_NAMES = {
    "TChiWg": "[[['photon']],[['W']]]",
    "TChiWZ": "[[['W']],[['Z']]]",
    "T5gg": "[[['jet','jet'],['photon']],[['jet','jet'],['photon']]]",
    "T6gg": "[[['jet'],['photon']],[['jet'],['photon']]]",
    "T1": "[[['jet','jet']],[['jet','jet']]]",
    "Gl": "[[['jet','jet']],[['jet','jet']]]",
    "T2qq": "[[['jet']],[['jet']]]",
    "Sq": "[[['jet']],[['jet']]]",
    "T2tt": "[[['t']],[['t']]]",
    "T2bW": "[[['b'],['W']],[['b'],['W']]]",
}
"""For each model the final states of its two decay chains, in the notation of SModelS."""

OFFICIAL = {"Gl": "T1", "Sq": "T2", "T2qq": "T2", "T2bW": "T6bbWW", "T6gg": "T6gg"}
"""Names of models in the database of SModelS, where they differ from those here."""


def workspace(point: SignalPoint) -> dict[str, Any]:
    """Return the pyhf workspace of a point: the bins that its limit combines, with the signal at the
    nominal rate.

    `pyhf cls WORKSPACE.json` computes CLs at a strength of 1 from it.
    """
    group = limit(point).group
    bins = point.search.groups[group]
    signal = point.expected(group)
    channels = [
        {
            "name": _identifier(one.name),
            "samples": [
                {
                    "name": "signal",
                    "data": [signal[n]],
                    "modifiers": [{"name": "mu", "type": "normfactor", "data": None}],
                },
                {
                    "name": "background",
                    "data": [one.count.background],
                    "modifiers": [
                        {
                            "name": f"error_{_identifier(one.name)}",
                            "type": "shapesys",
                            "data": [one.count.error],
                        }
                    ],
                },
            ],
        }
        for n, one in enumerate(bins)
    ]
    return {
        "version": "1.0.0",
        "channels": channels,
        "observations": [{"name": _identifier(one.name), "data": [one.count.observed]} for one in bins],
        "measurements": [
            {
                "name": point.point,
                "config": {
                    "poi": "mu",
                    "parameters": [{"name": "mu", "bounds": [[0.0, 100.0]], "inits": [1.0]}],
                },
            }
        ],
    }


def files() -> Iterator[tuple[str, str]]:
    """Yield path and text of every file of the export.

    `pyhf/<paper>/<point>.json` is a workspace; `smodels/13TeV/...` is a database folder of SModelS with
    efficiency maps, which have the points that are known here and no grid.
    """
    by_paper: dict[str, list[SignalPoint]] = {}
    for point in signal_points():
        by_paper.setdefault(point.paper, []).append(point)
        yield f"pyhf/{point.paper}/{point.point}.json", canonical.dumps(workspace(point)) + "\n"
    for paper, points in by_paper.items():
        search = points[0].search
        folder = f"smodels/13TeV/{paper.partition('-')[0]}/{paper}-eff"
        yield (
            f"{folder}/globalInfo.txt",
            f"sqrts: 13.0*TeV\nlumi: {search.luminosity_fb:g}/fb\nid: {paper}\n"
            f"private: False\ncomment: Efficiencies of the physics chain of Assay; {search.source}\n",
        )
        for one in search.bins:
            if one.windows is None:
                continue
            inside = f"{folder}/{_identifier(one.name)}"
            yield f"{inside}/dataInfo.txt", _data_info(one, search.luminosity_fb)
            for point in points:
                yield f"{inside}/{_tx_name(point)}.txt", _efficiency_map(point, one)


def _data_info(one: CountingBin, luminosity_fb: float) -> str:
    unit = upper_limit([one.count], [1.0])
    return (
        f"dataType: efficiencyMap\ndataId: {_identifier(one.name)}\nobservedN: {one.count.observed:g}\n"
        f"expectedBG: {one.count.background:g}\nbgError: {one.count.error:g}\n"
        f"upperLimit: {unit.observed / luminosity_fb:.4g}*fb\n"
        f"expectedUpperLimit: {unit.expected / luminosity_fb:.4g}*fb\n"
    )


def _efficiency_map(point: SignalPoint, one: CountingBin) -> str:
    model, *masses = point.point.split("_")
    branch = ", ".join(f"{float(mass):.1f}*GeV" for mass in masses)
    if len(masses) == 1:
        branch += ", 0.0*GeV"
    efficiency = point.selected[one.name] * point.br / point.drawn
    return (
        f"txName: {_tx_name(point)}\nconstraint: {TX_NAMES[model]}\ncondition: None\n"
        "finalState: ['MET', 'MET']\n"
        f"efficiencyMap: [[[[{branch}], [{branch}]], {efficiency:.4g}]]\n"
    )


def _tx_name(point: SignalPoint) -> str:
    model = point.point.partition("_")[0]
    return OFFICIAL.get(model, model)


def _identifier(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
