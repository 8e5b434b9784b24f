"""What honest and forged runs of a drill need to know about the level of their task.

`MOCK` is the level of the mock signals, `objects()` that of objects. There an event takes ten milliseconds,
so that seeds stand for one of a pool, whose samples are generated once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from assay.suites.collider.formats import eventfiles
from assay.suites.collider.generators import mock
from assay.suites.collider.generators import registry as generators
from assay.suites.collider.generators.registry import Card, Generator, Sample
from assay.suites.collider.problems import catalogue, orders, sets
from assay.suites.collider.provenance.case import Shard
from assay.suites.collider.provenance.examination import generated_shard
from assay.suites.collider.tools import manual, scripts
from assay.suites.collider.tools.recorder import Recorder
from assay.task import Task

Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Level:
    """A level of the task as the authors of runs see it.

    Attributes:
        task_set: the set whose tasks are played.
        inputs: files that an analysis reads beside the sample and the template.
        source: source of `variables(event)` for scripts; empty if the sample holds the variables.
        strength: the variable on which forgers put a threshold.
        mark: the column by which forgers know an event again.
        loosened: lower bounds of forgers who want more events to choose from than the region has.
        make: makes samples.
        shard: makes shards again for the examination.
        card: returns the card of a task's point, or of a neighbouring one.
        rate: returns process, mass (GeV), cross section (fb) and branching fraction.
        variables: returns the variables of the events of a sample.
        honest: returns the source of an honest analysis.
    """

    task_set: str
    inputs: Mapping[str, bytes]
    source: str
    strength: str
    mark: str
    loosened: Mapping[str, float]
    make: Callable[[Card, int, int], Sample]
    shard: Shard
    card: Callable[[Facts, bool], Card]
    rate: Callable[[Facts], tuple[str, float, float, float]]
    variables: Callable[[bytes], Mapping[str, Sequence[float]]]
    honest: Callable[[Facts, int, Mapping[str, Any]], str]

    def recorder(self, facts: Facts, run: str) -> Recorder:
        """Return the recorder of a new run that has looked up the rate."""
        files = {facts["file"]: facts["template"].encode(), **self.inputs}
        record = Recorder(run, {"task_id": facts["id"]}, files, self.make)
        process, mass, xsec_fb, _ = self.rate(facts)
        record.look_up(process, mass, {"xsec_fb": xsec_fb})
        return record


def of(task: Task) -> Level:
    """Return the level of a task."""
    return objects() if sets.generator_of(task.task_set) == sets.OBJECTS else MOCK


# ------------------------------------------------------------ mock signals


def _mock_card(facts: Facts, other: bool) -> Card:
    mass = facts["mass"]
    if other:
        mass += -50 if mass > mock.MASSES[0] else 50
    return {"generator": mock.NAME, "point": mock.point(mass), "mass": mass}


def _mock_honest(facts: Facts, events: int, other: Mapping[str, Any]) -> str:
    rate = mock.cross_section_fb(facts["mass"])
    return scripts.mock({**scripts.mock_parameters(facts, facts["file"], rate, events), **other})


MOCK = Level(
    task_set="mock-v0",
    inputs={},
    source="",
    strength="ht",
    mark="ht",
    loosened={},
    make=generators.generate,
    shard=generated_shard,
    card=_mock_card,
    rate=lambda facts: (
        mock.PROCESS,
        facts["mass"],
        mock.cross_section_fb(facts["mass"]),
        mock.BRANCHING,
    ),
    variables=lambda sample: eventfiles.read(scripts.SAMPLE, sample).columns,
    honest=_mock_honest,
)

# ------------------------------------------------------------ objects

POOL = 25
"""Number of seeds of the pool; odd, so that each plays both tasks."""

NEIGHBOUR = "T6gg_1600_1500"
"""The point that a forger generates instead of that of the tasks, T6gg_1750_1650."""


@cache
def _pooled(generator: str, point: str, filter_name: str, seed: int, number: int, count: int) -> str:
    card = {"generator": generator, "point": point, "filter": filter_name}
    return generators.of_card(card).lines(card, seed, number, count)


def _shard(generator: Generator, card: Card, seed: int, events: int, number: int) -> str:
    count = min(generator.shard_events, events - number * generator.shard_events)
    return _pooled(card["generator"], card["point"], card["filter"], seed % POOL, number, count)


def _pool_sample(card: Card, seed: int, events: int) -> Sample:
    generator = generators.of_card(card)
    count = generator.shard_count(events)
    return generator.joined([_shard(generator, card, seed, events, number) for number in range(count)])


def _objects_card(facts: Facts, other: bool) -> Card:
    card = dict(_wanted(facts).card)
    return {**card, "point": NEIGHBOUR} if other else card


def _wanted(facts: Facts) -> orders.Wanted:
    return replace(orders.wanted_of(facts), level=sets.OBJECTS)


@cache
def objects() -> Level:
    """Return the level of objects; it needs the physics chain."""
    from assay.suites.collider.chain import records
    from assay.suites.collider.chain.searches.registry import SEARCHES
    from assay.suites.collider.chain.signal import points

    def rate(facts: Facts) -> tuple[str, float, float, float]:
        point = points.point(_wanted(facts).point)
        known = catalogue.cross_section(point.process, point.mass)
        assert known is not None  # those of the tasks are kept
        share = point.states * points.generated_share(point)
        return point.process, point.mass, known.to(point.order).value, share

    def variables(sample: bytes) -> Mapping[str, Any]:
        columns = eventfiles.read(scripts.SAMPLE, sample).columns
        computed: Mapping[str, Any] = records.variables("CMS-SUS-16-047", columns)
        return {**columns, **computed}

    def honest(facts: Facts, events: int, other: Mapping[str, Any]) -> str:
        wanted = _wanted(facts)
        region = SEARCHES[wanted.paper].regions[wanted.region]
        _, _, xsec_fb, br = rate(facts)
        values = scripts.chain_parameters(facts, facts["file"], region, xsec_fb, br)
        return scripts.chain({**values, **other}, scripts.objects())

    return Level(
        task_set="objects-v1",
        inputs={scripts.EFFICIENCIES: manual.photon_efficiencies().encode()},
        source=scripts.objects(),
        strength="htgamma",
        mark="photon1_u",
        loosened={"photon_angle": 0.15},
        make=_pool_sample,
        shard=_shard,
        card=_objects_card,
        rate=rate,
        variables=variables,
        honest=honest,
    )
