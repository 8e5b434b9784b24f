"""Event display of one simulated event: the transverse view, and the plane of pseudorapidity and azimuth."""

from __future__ import annotations

import math
from typing import Any

from assay import plotting
from assay.numbers import rng
from assay.protocol import Tables
from assay.suites.collider.drawings import generator_figure

POINT, FILTER = "T5Wg_1600_100", "photon-ptmiss"
SEED = 7
EVENTS = 12
"""Number of events; the first with a hard photon in the barrel and high missing momentum is drawn."""

LEAST_PARTICLE = 1.0
LEAST_JET = 30.0
RADIUS = 0.4


def draw(tables: Tables) -> Any:
    return generator_figure.draw(85, _panels)


def _panels(figure: Any) -> None:
    event, n = _event()
    left, right = figure.subplots(1, 2)
    _across(left, event, n)
    _unrolled(right, event, n)
    right.legend(loc="upper right", fontsize=6.5)


def _event() -> tuple[Any, int]:
    """Return a reconstructed chunk, and the index of the event to draw."""
    import awkward as ak
    import numpy as np

    from assay.suites.collider.chain import samples
    from assay.suites.collider.chain.detector import objects

    chunk = samples.source(POINT, FILTER).chunk(SEED, 0, EVENTS)
    event = objects.reconstruct(chunk, rng.stream(SEED, "collider", "display"))
    photons = event.photons[event.photons.identified]
    hard = ak.to_numpy(ak.any((photons.pt > 180.0) & (abs(photons.eta) < 1.4442), axis=-1))
    (places,) = np.nonzero(hard & (event.ptmiss > 300.0))
    return event, int(places[0]) if len(places) else 0


def _objects(event: Any, n: int) -> list[tuple[str, str, list[tuple[float, float, float]]]]:
    """Return jets, photons and leptons of an event as (label, colour, [(pT, eta, phi)])."""
    import awkward as ak
    import numpy as np

    wanted = np.arange(len(event)) == n
    jets = event.jets(wanted)[n]
    photons = event.photons[event.photons.identified][n]
    leptons = event.leptons[n]
    leptons = leptons[(leptons.pt > 10.0) & (leptons.isolation < 0.2)]
    # Photons and leptons are clustered into jets as well, so jets that overlap with them are left out.
    kept = [
        j
        for j in ak.to_list(jets)
        if j["pt"] > LEAST_JET
        and all(
            math.hypot(j["eta"] - o["eta"], math.remainder(j["phi"] - o["phi"], 2 * math.pi)) > RADIUS
            for o in [*ak.to_list(photons), *ak.to_list(leptons)]
        )
    ]

    def listed(records: Any) -> list[tuple[float, float, float]]:
        return [(o["pt"], o["eta"], o["phi"]) for o in records]

    return [
        ("jets", "orange", listed(kept)),
        ("photons", "green", listed(ak.to_list(photons))),
        ("electrons and muons", "blue", listed(ak.to_list(leptons))),
    ]


def _particles(event: Any, n: int) -> tuple[Any, Any, Any]:
    """Return pT (GeV), eta and phi of the measured particles of an event above `LEAST_PARTICLE`."""
    measured = event.measured
    part = slice(measured.offsets[n], measured.offsets[n + 1])
    taken = measured.pt[part] > LEAST_PARTICLE
    return measured.pt[part][taken], measured.eta[part][taken], measured.phi[part][taken]


def _across(axes: Any, event: Any, n: int) -> None:
    """Draw the transverse momenta; lengths are square roots of pT, so that soft ones are visible."""
    pt, _, phi = _particles(event, n)
    for value, angle in zip(pt.tolist(), phi.tolist(), strict=True):
        _ray(axes, value, angle, plotting.COLOURS["grey"], 0.3)
    for _, colour, objects in _objects(event, n):
        for value, _, angle in objects:
            _ray(axes, value, angle, plotting.COLOURS[colour], 1.8)
    miss = float(event.ptmiss[n])
    _ray(axes, miss, float(event.phimiss[n]), plotting.COLOURS["vermilion"], 1.8, "--")
    reach = 1.1 * math.sqrt(max([miss, *(value for _, _, f in _objects(event, n) for value, _, _ in f)]))
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    axes.set(xlabel="x: square root of pT [GeV]", ylabel="y", title=f"{POINT}: across the beam")


def _ray(axes: Any, pt: float, phi: float, colour: str, width: float, line: str = "-") -> None:
    length = math.sqrt(pt)
    end = (length * math.cos(phi), length * math.sin(phi))
    axes.plot([0, end[0]], [0, end[1]], color=colour, linewidth=width, linestyle=line)


def _unrolled(axes: Any, event: Any, n: int) -> None:
    """Draw the plane of pseudorapidity and azimuth: particles as dots, jets as circles of their radius."""
    pt, eta, phi = _particles(event, n)
    for value, x, y in zip(pt.tolist(), eta.tolist(), phi.tolist(), strict=True):
        size = min(6.0, 0.6 * math.sqrt(value))
        axes.plot([x], [y], marker="o", markersize=size, linestyle="none", color=plotting.COLOURS["grey"])
    turn = [2 * math.pi * k / 48 for k in range(49)]
    for what, colour, objects in _objects(event, n):
        for k, (value, x, y) in enumerate(objects):
            axes.plot(
                [x + RADIUS * math.cos(t) for t in turn],
                [y + RADIUS * math.sin(t) for t in turn],
                color=plotting.COLOURS[colour],
                linewidth=1.4,
                label=what if k == 0 else None,
            )
            axes.annotate(f"{value:.0f}", (x, y), (6, 6), textcoords="offset points", fontsize=6)
    axes.axhline(
        float(event.phimiss[n]),
        color=plotting.COLOURS["vermilion"],
        linestyle="--",
        linewidth=1.4,
        label=f"missing momentum, {event.ptmiss[n]:.0f} GeV",
    )
    axes.set(xlim=(-5, 5), ylim=(-math.pi, math.pi + 1.6), xlabel="pseudorapidity", ylabel="azimuth")
    axes.set_title("unrolled; pT in GeV")
