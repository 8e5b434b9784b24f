"""The released files, where somebody has them: `ASSAY_CAUSALAB_FILES=folder make test ARGS="-k released"`."""

from __future__ import annotations

import pytest
from tests.suites.causalab.examples import TARGET, released

from assay.suites.causalab.dsl import Hypothesis
from assay.suites.causalab.metrics import imec
from assay.suites.causalab.metrics.recovery import mean, true_weights
from assay.suites.causalab.metrics.report import report
from assay.suites.causalab.model.files import model_line, model_of
from assay.suites.causalab.model.topology import statistics
from assay.suites.causalab.simulation import golden, instances
from assay.suites.causalab.simulation.reactor import solvable

TABLE_1 = {
    "3nodes": (2.56, 0.2464, 0.68, 0.72, 0.12, 0.16),
    "4nodes": (4.54, None, 2.18, 2.22, 0.52, 0.56),
    "5nodes": (7.26, None, 5.54, 5.26, 1.12, 0.84),
    "6nodes": (8.82, None, 6.72, 6.22, 2.46, 1.96),
    "7nodes": (10.26, None, 7.84, 7.00, 3.76, 2.92),
    "4nodes_freqparent": (4.12, None, 1.68, 1.66, None, None),
    "6nodes_freqparent": (8.52, None, 5.48, 5.94, None, None),
}

CONSTANT = {  # root F1, precision, recall, F1, SHD, F1 of edges and weights into the target
    ("3nodes", "parents"): (0.6533, 1, 0.6733, 0.7947, 0.84, 1, 1),
    ("3nodes", "star"): (0.7200, 0.8600, 0.6733, 0.7480, 1.12, 0.9067, 0.2700),
    ("4nodes", "parents"): (0.5473, 1, 0.4880, 0.6477, 2.30, 1, 1),
    ("4nodes", "star"): (0.5600, 0.7467, 0.4880, 0.5833, 3.06, 0.8300, 0.2693),
    ("5nodes", "parents"): (0.4680, 1, 0.3996, 0.5652, 4.38, 1, 1),
    ("5nodes", "star"): (0.4640, 0.7200, 0.3996, 0.5029, 5.50, 0.8135, 0.2049),
    ("6nodes", "parents"): (0.3287, 1, 0.3164, 0.4708, 6.06, 1, 1),
    ("6nodes", "star"): (0.4000, 0.5520, 0.3164, 0.3954, 8.30, 0.6860, 0.2386),
    ("7nodes", "parents"): (0.2794, 1, 0.2539, 0.3978, 7.66, 1, 1),
    ("7nodes", "star"): (0.3952, 0.4333, 0.2539, 0.3163, 11.06, 0.5862, 0.2249),
    ("4nodes_quad_hard", "parents"): (0.5473, 1, 0.4880, 0.6477, 2.30, 1, 1),
    ("4nodes_freqparent", "parents"): (0.5940, 1, 0.3893, 0.5429, 2.54, 1, 1),
}

COLUMNS = ("root_f1", "edge_precision", "edge_recall", "edge_f1", "shd", "freq_edge_f1", "freq_weight_f1")


@pytest.mark.parametrize("name", TABLE_1)
def test_table_1(name):
    result = statistics(released(name))
    columns = (
        result.edge_mean,
        result.edge_variance,
        result.fork_mean,
        result.collider_mean,
        result.unshielded_fork_mean,
        result.unshielded_collider_mean,
    )
    for value, wanted in zip(columns, TABLE_1[name], strict=True):
        assert wanted is None or value == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(("name", "kind"), CONSTANT)
def test_constant_hypotheses(name, kind):
    rows = []
    for model in released(name):
        if kind == "parents":
            edges = tuple(edge for edge in model.edges if edge[1] == TARGET)
            weights = {f"c_{parent}": value for parent, value in true_weights(model).items()}
        else:
            edges = tuple((name, TARGET) for name in model.properties)
            weights = {f"c_{name}": 1 for name in model.properties}
        rows.append(report(model, Hypothesis(edges, "", weights)))
    for column, wanted in zip(COLUMNS, CONSTANT[name, kind], strict=True):
        assert mean([row[column] for row in rows]) == pytest.approx(wanted, abs=5e-5)


@pytest.mark.parametrize("name", ["4nodes_golden", "6nodes_golden"])
def test_golden_traces_replay_to_the_cent(name):
    models = released(name)
    traces = [golden.items_of(model) for model in models]
    assert all(golden.replays(m, items) for m, items in zip(models, traces, strict=True))
    under_base = [golden.replays(m, items, "base") for m, items in zip(models, traces, strict=True)]
    assert sum(under_base) == {"4nodes_golden": 0, "6nodes_golden": 14}[name]


def test_documented_counts_of_structures():
    models = released("4nodes_golden")
    wanted = {
        0: [175, 32, 16, 16, 16, 16, 16],
        1: [175, 20, 4, 1, 1],
        2: [175, 100, 32, 12, 12, 12, 12],
        5: [175, 75, 4, 1],
    }
    finals = []
    for index, model in enumerate(models):
        items = golden.items_of(model)
        counts = [imec.imec_data(model.names, golden.evidence(items[:n])) for n in range(2, len(items) + 1)]
        finals.append(counts[-1])
        if index in wanted:
            assert counts == wanted[index]
    assert mean(finals) == pytest.approx(4.54)


TARGETS = {
    3: (4.36, 1.84, 1.32, 1, 1),
    4: (8.64, 3.70, 2.16, 1.22, 1),
    5: (32.9, 10.28, 4.32, 1.56, 1.14),
    6: (12.76, 10.68, 4.96, 2.24, 1.38),
    7: (16.86, 12.12, 5.40, 3.12, 1.64),
}


@pytest.mark.parametrize("size", TARGETS)
def test_documented_classes(size):
    models = released(f"{size}nodes")
    results = [
        mean([imec.imec_targets(m.names, m.edges, (), sink).count for m in models]) for sink in (False, True)
    ]
    results += [
        mean([imec.imec_targets(m.names, m.edges, m.properties[:j]).count for m in models]) for j in (1, 2, 3)
    ]
    assert results == pytest.approx(TARGETS[size], abs=0.051)


@pytest.mark.parametrize(
    ("size", "first", "second"), [(3, 100, 100), (4, 100, 100), (5, 92, 98), (6, 74, 82), (7, 84, 92)]
)
def test_the_clamp_bounds_accuracy(size, first, second):
    models = released(f"{size}nodes")
    for env_seed, wanted in ((1, first), (2, second)):
        targets = [m.evaluate(dict(instances.reactor_bases(m, env_seed)))[TARGET] for m in models]
        assert sum(map(solvable, targets)) * 2 == wanted


def test_the_records_of_the_first_models():
    result = instances.records(released("4nodes")[0], 3)
    assert [record[TARGET] for record in result] == [42.0, 91.0, 136.0]
    hard = instances.records(released("4nodes_quad_hard")[0], 3)
    assert [record[TARGET] for record in hard] == [58.5, 76.49, 67.23]


def test_lines_are_kept():
    for model in released("4nodes"):
        assert model_of(model.raw, "again") == model
        assert model_line(model)
