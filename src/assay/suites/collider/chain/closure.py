"""Closure tests of the chain: generator, detector and filters against values known beforehand."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from assay.numbers import rng
from assay.suites.collider.chain import parameters, samples
from assay.suites.collider.chain.arrays import ak, delta_r
from assay.suites.collider.chain.detector import jets, objects, performance, tagging
from assay.suites.collider.chain.detector import particles as detector
from assay.suites.collider.chain.detector.jets import BOTTOM
from assay.suites.collider.chain.generation import Chunk, Source
from assay.suites.collider.chain.searches.registry import SEARCHES
from assay.suites.collider.chain.signal import points
from assay.suites.collider.formats import documents
from assay.suites.collider.problems.orders import WANTED

DATA_FILES = ("../data/published_cut_flows.yaml",)

SIGMAS = 4.0
"""Largest accepted deviation of a share from its expectation, in statistical standard deviations."""

PDG = "branching ratios of the Particle Data Group"
MODEL = "the model as the papers state it"
K_FACTORS = "the usual size of higher orders: 1.3 to 2.2 for coloured pairs, 1.2 to 1.5 for charginos"
MAP = "the efficiencies that the detector was given"
UNFILTERED = "events that were generated without a filter"

JETS = "CMS particle flow, JINST 12 (2017) P10003: 15, 8 and 4 % at 10, 100 and 1000 GeV"
TAGS = "the efficiencies that the detector was given, JINST 13 (2018) P05011"
MET = "the resolution of the jets, which missing momentum has to follow, JINST 14 (2019) P07004"
MISSING = ("miss_x", "miss_y")

RESOLUTION = 0.15
"""Largest accepted relative deviation of a resolution from the published one, beside the statistical one."""

CMS_V1 = replace(detector.CMS, card=detector.V1)
"""The second version of the detector of CMS."""

LOST = 0.01
"""Largest share of the selected events that a filter may cost."""

RARE = ("sus-16-051 T2bW_SRG", "sus-16-051 T2tt_comp", "sus-16-047 T5Wg_lowHT")
"""Tasks left out of the test of filters: too few of their events are selected without a filter."""

FLOW = 0.3
"""Largest accepted deviation from a published cut flow, beside the statistical one.

Lepton efficiencies are chosen, for the paper has none, and enter twice; rates are known to 10 %.
"""

W_DECAYS = {11: 0.1071, 13: 0.1063, 15: 0.1138}


@dataclass(frozen=True)
class Row:
    """A comparison: a statistic, its accepted range and the source of that range."""

    statistic: str
    value: float
    low: float
    high: float
    reference: str


def share(statistic: str, passed: int, of: int, expected: float, reference: str) -> Row:
    """Return a row for the share `passed` / `of`, with bounds `SIGMAS` deviations around `expected`."""
    slack = SIGMAS * math.sqrt(expected * (1 - expected) / of)
    return Row(statistic, passed / of, expected - slack, expected + slack, reference)


def decays(events: int) -> Iterable[Row]:
    """Yield shares of decays in T5Wg and TChiWZ: photons, leptons from W bosons, electrons from Z bosons."""
    photons = np.zeros(3, np.int64)
    from_w = dict.fromkeys(W_DECAYS, 0)
    w_bosons = 0
    for chunk in _chunks("T5Wg_1600_100", events):
        mothers = _mother_ids(chunk)
        kinds = np.abs(chunk.ids)
        starts = chunk.offsets[:-1]
        of_n1 = (kinds == 22) & (mothers == points.N1)
        photons += np.bincount(np.add.reduceat(of_n1.astype(np.int64), starts), minlength=3)[:3]
        of_w = np.abs(mothers) == points.W
        for kind in W_DECAYS:
            from_w[kind] += int((of_w & (kinds == kind)).sum())
        w_bosons += int((of_w & ((kinds <= 5) | ((kinds >= 11) & (kinds <= 16)))).sum()) // 2
    for n, expected in enumerate((0.25, 0.5, 0.25)):
        yield share(f"share of T5Wg with {n} photons", int(photons[n]), events, expected, MODEL)
    for kind, expected in W_DECAYS.items():
        name = {11: "electron", 13: "muon", 15: "tau"}[kind]
        yield share(f"share of W to {name}", from_w[kind], w_bosons, expected, PDG)
    electrons = muons = 0
    for chunk in _chunks("TChiWZ_550_200", events):
        of_z = _mother_ids(chunk) == points.Z
        electrons += int((of_z & (chunk.ids == 11)).sum())
        muons += int((of_z & (chunk.ids == 13)).sum())
    yield share("share of electrons in leptonic Z", electrons, electrons + muons, 0.5, PDG)


def cross_sections(events: int) -> Iterable[Row]:
    """Yield the K factor (stored cross section over the generator's leading order) of every point."""
    for name in points.PUBLISHED:
        point = points.point(name)
        source = Source(point, "none")
        source.chunk(1, 0, min(events, 200))
        leading, _ = source.cross_section_fb()
        low, high = (1.2, 1.5) if point.process == "c1n2" else (1.3, 2.2)
        yield Row(f"K factor of {name}", points.rate(point).xsec_fb / leading, low, high, K_FACTORS)


def efficiencies(events: int) -> Iterable[Row]:
    """Yield the shares of photons identified and of b jets tagged, compared with the efficiency curves."""
    identified = of = 0
    expected = 0.0
    for number, chunk in enumerate(_chunks("TChiWg_700", events)):
        photons = objects.reconstruct(chunk, rng.stream(3, "closure", number)).photons
        identified += int(ak.sum(photons.identified))
        expected += float(ak.sum(objects.photon_efficiency(photons)))
        of += int(ak.sum(ak.num(photons)))
    yield share("share of photons identified", identified, of, expected / of, MAP)
    tagged = jets = 0
    hoped = 0.0
    for number, chunk in enumerate(_chunks("T2tt_1000_50", events // 2)):
        event = objects.reconstruct(chunk, rng.stream(4, "closure", number))
        central = event.jets(np.ones(len(chunk), np.bool_))
        central = central[(central.pt > 30) & (abs(central.eta) < 2.4)]
        marked = ak.flatten(tagging.tag(central, event.stream.child("tagging")))
        bottom = marked[marked.flavour == BOTTOM]
        jets += len(bottom)
        tagged += int(ak.sum(bottom.tag >= tagging.MEDIUM))
        medium = tagging.efficiencies(ak.to_numpy(bottom.pt), np.full(len(bottom), BOTTOM))[1]
        hoped += float(medium.sum())
    yield share("share of b jets tagged (medium)", tagged, jets, hoped / jets, MAP)


def filters(events: int) -> Iterable[Row]:
    """Yield for each task the share of events selected without a filter that its filter would reject."""
    for name, wanted in WANTED.items():
        if name in RARE:
            continue
        search = SEARCHES[wanted.paper]
        source = Source(points.point(wanted.point), "none", watched=wanted.filter_name)
        selected = lost = 0
        for number, count in samples.chunks(events):
            chunk = source.chunk(2, number, count)
            columns = samples.table(search, chunk, rng.stream(5, "closure", number), number)
            passed = search.regions[wanted.region].passes(columns)
            if wanted.filter_name == "photon-ptmiss":
                passed &= columns["ptmiss"] >= 350.0
            selected += int(passed.sum())
            lost += int((passed & ~chunk.marked).sum())
        if not selected:
            continue  # the share of lost events is not defined
        slack = SIGMAS * math.sqrt(LOST * (1 - LOST) / selected)
        yield Row(f"lost to the filter, {name}", lost / selected, 0.0, LOST + slack, UNFILTERED)


def cut_flows(events: int) -> Iterable[Row]:
    """Yield for each step of a published cut flow the expected events over the published ones."""
    for name, flow in documents.packaged("published_cut_flows.yaml").items():
        paper, region_name, point = name.split(" ")
        region = SEARCHES[paper].regions[region_name]
        cuts = {cut.label: cut for cut in region.cuts}
        columns = samples.sample(samples.Card(paper, point, "none"), 6, events)
        rate = points.rate(points.point(point))
        weight = flow["luminosity_fb"] * rate.xsec_fb * rate.br / int(columns["drawn"].sum())
        passed = np.ones(events, np.bool_)
        for step in flow["steps"]:
            for label in step.get("cuts", ()):
                passed = passed & cuts[label].passes(columns)
            left = int((passed & (columns[region.observable] >= step.get("above", 0.0))).sum())
            slack = FLOW + SIGMAS * math.sqrt(max(left, 1)) * weight / step["events"]
            ratio = left * weight / step["events"]
            yield Row(f"{name}: {step['label']}", ratio, 1 - slack, 1 + slack, flow["source"])


def detector_performance(events: int) -> Iterable[Row]:
    """Yield the performance of the second detector over the published one: jets, missing momentum, b tags."""
    ratios: list[np.ndarray] = []
    truth: list[np.ndarray] = []
    shifts: list[np.ndarray] = []
    expected_shift = 0.0
    tagged = {name: [0.0, 0.0, 0.0] for name in ("centre", "edge")}
    for number, chunk in enumerate(_chunks("T2tt_1000_50", events)):
        every = np.ones(len(chunk), np.bool_)
        exact = jets.cluster(_exact(chunk), every)
        event = objects.reconstruct(chunk, rng.stream(7, "closure", number), CMS_V1)
        plain = objects.reconstruct(chunk, rng.stream(7, "closure", number))
        shifts += [getattr(event.measured, axis) - getattr(plain.measured, axis) for axis in MISSING]
        measured = event.jets(every)
        pt = ak.to_numpy(ak.flatten(measured.pt))
        expected_shift += float(np.sum((performance.added_resolution(pt) * pt) ** 2)) / 2 / events
        pairs = ak.cartesian({"exact": exact[abs(exact.eta) < 2.4], "measured": measured}, nested=True)
        near = ak.argmin(delta_r(pairs.exact, pairs.measured), axis=-1, keepdims=True)
        pair = ak.drop_none(ak.flatten(ak.flatten(pairs[near], axis=1), axis=1))
        close = delta_r(pair.exact, pair.measured) < 0.2
        truth.append(ak.to_numpy(pair.exact.pt[close]))
        ratios.append(ak.to_numpy(pair.measured.pt[close] / pair.exact.pt[close]))
        marked = ak.flatten(tagging.tag(measured, event.stream.child("tagging")))
        bottom = marked[(marked.flavour == BOTTOM) & (marked.pt > 30) & (abs(marked.eta) < 2.4)]
        medium = tagging.efficiencies(ak.to_numpy(bottom.pt), np.full(len(bottom), BOTTOM))[1]
        for name, chosen in (("centre", abs(bottom.eta) < 0.8), ("edge", abs(bottom.eta) >= 1.6)):
            chosen = ak.to_numpy(chosen)
            tagged[name][0] += int(chosen.sum())
            tagged[name][1] += float((ak.to_numpy(bottom.tag)[chosen] >= tagging.MEDIUM).sum())
            tagged[name][2] += float(medium[chosen].sum())
    pt, ratio = np.concatenate(truth), np.concatenate(ratios)
    for low, high in ((30.0, 45.0), (80.0, 120.0), (300.0, 500.0)):
        chosen = ratio[(pt >= low) & (pt < high)]
        width = 0.5 * float(np.diff(np.quantile(chosen, (0.1587, 0.8413)))[0]) / float(np.median(chosen))
        expected = float(performance.jet_resolution(np.array([math.sqrt(low * high)]))[0])
        slack = RESOLUTION + SIGMAS / math.sqrt(2 * len(chosen))
        name = f"resolution of jets from {low:g} to {high:g} GeV over the published one"
        yield Row(name, width / expected, 1 - slack, 1 + slack, JETS)
    for name, (of, passed, plain_sum) in tagged.items():
        factor = parameters.value("performance", "b tagging by eta")["factor"][0 if name == "centre" else -1]
        statistic = f"share of b jets tagged (medium), {name}"
        yield share(statistic, int(passed), int(of), factor * plain_sum / of, TAGS)
    spread = float(np.sqrt(np.mean(np.concatenate(shifts) ** 2) / expected_shift))
    slack = RESOLUTION + SIGMAS / math.sqrt(events)
    yield Row("spread of missing momentum that jets add, over theirs", spread, 1 - slack, 1 + slack, MET)


def _exact(chunk: Chunk) -> detector.Measured:
    """Return the particles of a chunk that are measured, with their true momenta."""
    measured = detector.measure(chunk, 1)
    true = {axis: getattr(chunk, axis)[measured.rows] for axis in ("px", "py", "pz", "energy")}
    return replace(measured, **true, pt=np.hypot(true["px"], true["py"]))


CLOSURES: Mapping[str, Callable[[int], Iterable[Row]]] = {
    "chain-decays": decays,
    "chain-cross-sections": cross_sections,
    "chain-efficiencies": efficiencies,
    "chain-filters": filters,
    "chain-cut-flow": cut_flows,
    "chain-detector": detector_performance,
}


def _chunks(name: str, events: int) -> Iterable[Chunk]:
    source = samples.source(name, "none")
    for number, count in samples.chunks(events):
        yield source.chunk(1, number, count)


def _mother_ids(chunk: Chunk) -> np.ndarray:
    """Return the PDG number of each particle's first mother."""
    starts = np.repeat(chunk.offsets[:-1], np.diff(chunk.offsets))
    return np.asarray(chunk.ids[starts + chunk.mothers])
