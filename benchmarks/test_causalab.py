"""How fast causalab is: sampling, interventions, episodes, scoring, counting structures."""

from __future__ import annotations

import itertools

import pytest

from assay.numbers.rng import stream
from assay.protocol import Result
from assay.suite import suite
from assay.suites.causalab.metrics.imec import Evidence, imec_data, imec_targets
from assay.suites.causalab.metrics.report import report
from assay.suites.causalab.model.files import write_models
from assay.suites.causalab.model.generator import complete, model, shapes
from assay.suites.causalab.simulation import instances
from assay.suites.causalab.simulation.laboratory import Manipulator
from assay.suites.causalab.solvers.discovery import from_total_effects

SUITE = suite("causalab")


def swept(found, rounds=1):
    """One intervention on every property."""
    crystal = Manipulator(found, dict(instances.manipulator_bases(found)))
    states, targets = [crystal.shown], []
    for n, name in enumerate(found.controllable * rounds):
        states.append(crystal.intervene(name, 90.5 - 7.25 * n))
        targets.append(name)
    return Evidence(instances.records(found, 2), states, targets)


@pytest.mark.benchmark(group="1,000 models of seven variables, sampled and written")
def test_sample_and_write(benchmark, tmp_path):
    seeds = itertools.count()

    def sample():
        seed = next(seeds)
        source = enumerate(itertools.islice(shapes(7, seed), 1000))
        models = [complete(shape, "linear", n, stream(seed, "bench", n)) for n, shape in source]
        write_models(tmp_path / "models.jsonl", models)

    benchmark.pedantic(sample, rounds=5)


@pytest.mark.benchmark(group="one intervention, seven variables")
@pytest.mark.parametrize("family", ["linear", "quad_hard"])
def test_intervention(benchmark, family):
    found = model(family, 7, 4, 1)
    crystal = Manipulator(found, dict(instances.manipulator_bases(found)))
    steps = itertools.cycle([(name, float(value)) for value in (90, 15) for name in found.controllable])
    benchmark(lambda: crystal.intervene(*next(steps)))


@pytest.mark.benchmark(group="one episode of the exact solver, seven variables")
def test_episode(benchmark):
    """World and solver; the harness, which checks, copies and logs every call, is not in it."""
    room, solvers = SUITE.room("tasks"), SUITE.room("solvers")
    tasks = [room.generate(room.SETS["main-v0"], "main-v0", n, 1, None) for n in range(4, 54, 5)]
    turn = itertools.cycle(tasks)

    def play():
        task = next(turn)
        world = SUITE.room("world").open(task, None, None, stream(0))

        def call(tool: str, arguments: object) -> Result:
            return world.call(tool, arguments, None)

        solvers.SOLVERS["exact"].act(world.brief(), call, stream(0), None)
        assert world.submission() is not None

    benchmark(play)


@pytest.mark.benchmark(group="10,000 hypotheses scored, seven variables")
def test_score(benchmark):
    found = [model("linear", 7, n, 1) for n in range(10)]
    told = [from_total_effects(m.properties, swept(m)).hypothesis() for m in found]

    def score():
        for n in range(10_000):
            report(found[n % 10], told[(n + n // 10) % 10])

    benchmark.pedantic(score, rounds=3)


@pytest.mark.benchmark(group="graphs that the data leave")
@pytest.mark.parametrize("nodes", [4, 5, 7])
def test_imec_data(benchmark, nodes):
    found = model("linear", nodes, 3, 1)
    evidence = swept(found, 3)
    assert benchmark(imec_data, found.names, evidence) >= 1


@pytest.mark.benchmark(group="graphs that the intervened properties leave")
@pytest.mark.parametrize("nodes", [7, 50])
def test_imec_targets(benchmark, nodes):
    from assay.suites.causalab.metrics.imec import _class_size

    found = model("linear", nodes, 3, 1)

    def count():
        _class_size.cache_clear()
        return imec_targets(found.names, found.edges, ())

    assert benchmark(count).count >= 1
