"""Files in the released schema, with every documented field: loaded unchanged, replayed, simulated, scored.

The released files themselves are not shipped (`test_released.py` reads them where they are). These lines have
their form and their documented numbers.
"""

from __future__ import annotations

import json

import pytest
from tests.suites.causalab.examples import ROOT, TARGET

from assay.cli import main as cli
from assay.suites.causalab.model.files import model_line, read_models
from assay.suites.causalab.simulation import golden, instances

DISPLAYS = {"moisture": "Moisture", "density": "Density", "ph": "pH", "temperatureC": "Temperature (°C)"}


def node(name, computation=None):
    results = {"is_controllable": name != TARGET, "observable": True, "property_name": name}
    results["display_name"] = DISPLAYS.get(name, "Resonance Frequency (Hz)")
    results["base_value"] = {"type": "uniform", "min": 15.0, "max": 45.0}
    return results | ({"computation": computation} if computation else {})


def edges(*pairs):
    return [{"from": a, "to": b} for a, b in pairs]


LINEAR = {
    "graph_id": "4nodes_1",
    "description": "4 nodes, 6 edges",
    "nodes": {
        TARGET: node(
            TARGET,
            "base_freq + coeff_moisture_freq * moisture + coeff_ph_freq * ph + coeff_density_freq * density",
        ),
        "ph": node("ph", "base_ph + coeff_density_ph * density"),
        "moisture": node(
            "moisture", "base_moisture + coeff_ph_moisture * ph + coeff_density_moisture * density"
        ),
        "density": node("density"),
    },
    "edges": edges(
        ("moisture", TARGET),
        ("ph", TARGET),
        ("density", TARGET),
        ("ph", "moisture"),
        ("density", "moisture"),
        ("density", "ph"),
    ),
    "params": {
        "base_freq": 23.0,
        "coeff_moisture_freq": 1,
        "coeff_ph_freq": 2,
        "coeff_density_freq": 2,
        "base_ph": 17.0,
        "coeff_density_ph": 2,
        "base_moisture": 21.0,
        "coeff_ph_moisture": 1,
        "coeff_density_moisture": 2,
        "base_density": 20.0,
    },
    "budget": 12,
}

DISTURBED = {
    **LINEAR,
    "description": "4 nodes, 6 edges, hidden variant hidden_freqnode_n3",
    "hidden_variable": {
        "enabled": True,
        "name": "h",
        "observable": False,
        "is_controllable": False,
        "initial_value": 0,
        "value_space": [-5, 0, 5],
        "edge_weight": 1,
        "affected_nodes": [TARGET, "ph", "moisture"],
        "edges": edges(("h", TARGET), ("h", "ph"), ("h", "moisture")),
    },
}


def item(number, props, freq, **intervention):
    results = {"id": f"{number}/bootstrap", "props": props, "freq": freq}
    for name, value in intervention.items():
        results["intervention"] = {"target_prop": name, "target_value": value}
    return results


TRACED = {
    **LINEAR,
    "bootstrap_past_data": [
        item(0, {"density": 30, "ph": 70, "moisture": 150}, 373.0),
        item(1, {"density": 10, "ph": 25, "moisture": 46}, 139.0),
        item(2, {"density": 30, "ph": 70, "moisture": 9.0}, 232.0, moisture=9),
        item(3, {"density": 0.0, "ph": 10.0, "moisture": -111.0}, -68.0, density=0),
    ],
}

HARD = {
    "graph_id": "3nodes_quad_hard_0",
    "description": "3 nodes, 2 edges, hard quadratic",
    "nodes": {
        TARGET: node(
            TARGET, "base_freq + coeff2_temp_freq * (temperatureC ^ 2) + coeff1_temp_freq * temperatureC"
        ),
        "ph": node("ph", "base_ph + coeff2_temp_ph * (temperatureC ^ 2) + coeff1_temp_ph * temperatureC"),
        "temperatureC": node("temperatureC"),
    },
    "edges": edges(("temperatureC", TARGET), ("temperatureC", "ph")),
    "params": {
        "base_freq": 60.0,
        "coeff2_temp_freq": 0.012,
        "coeff1_temp_freq": -1.2,
        "base_ph": 45.0,
        "coeff2_temp_ph": 0.008,
        "coeff1_temp_ph": -0.64,
        "base_temperatureC": 20.0,
    },
    "budget": 8,
    "equation_family": "quadratic",
    "quadratic_mode": "hard",
    "quadratic_metadata": {
        "controllable_node_order": ["ph", "temperatureC"],
        "edge_axis_by_name": {f"temperatureC->{TARGET}": 50.0, "temperatureC->ph": 40.0},
        "observation_presets": [{"ph": 10, "temperatureC": 50}, {"ph": 0, "temperatureC": 100}],
        "property_manipulator": {"ph": 1, "temperatureC": 0},
        "reactor": {"ph": 7, "temperatureC": 60},
        "probe_left_by_node": {"temperatureC": 31},
        "probe_right_by_node": {"temperatureC": 72},
    },
}

CAUSING = {
    "graph_id": "3nodes_0",
    "description": "3 nodes, 2 edges",
    "nodes": {
        TARGET: node(TARGET, "base_freq + coeff_temp_freq * temperatureC"),
        "ph": node("ph", "base_ph + coeff_freq_ph * resonanceFreq"),
        "temperatureC": node("temperatureC"),
    },
    "edges": edges(("temperatureC", TARGET), (TARGET, "ph")),
    "params": {
        "base_freq": 15.0,
        "coeff_temp_freq": 3,
        "base_ph": 18.0,
        "coeff_freq_ph": 2,
        "base_temperatureC": 20.0,
    },
    "budget": 8,
    "equation_family": "linear",
    "frequency_can_be_parent": True,
}

LINES = [json.dumps(value, ensure_ascii=False) for value in (LINEAR, DISTURBED, TRACED, HARD, CAUSING)]


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    path = tmp_path / "released.jsonl"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return path


def test_lines_are_the_same_when_written(file):
    assert [model_line(model) for model in read_models(file)] == LINES


def test_a_golden_trace_replays_as_released_and_not_by_the_papers_equations(file):
    model = read_models(file)[2]
    assert golden.replays(model, golden.items_of(model))
    assert not golden.replays(model, golden.items_of(model), "base")


def test_presets_are_the_records_and_crystals_of_a_hard_model(file):
    model = read_models(file)[3]
    first, second = instances.records(model, 2)
    assert (first["ph"], first[TARGET], second["ph"], second[TARGET]) == (-2.0, 30.0, 16.0, 60.0)
    assert instances.reactor_bases(model) == {"ph": 7, "temperatureC": 60}


def run(capsys, *arguments):
    assert cli.main(["causalab", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_commands_take_every_kind_of_line(capsys, file, tmp_path):
    rows = run(capsys, "describe", file)
    assert [(row["nodes"], row["graphs"], row["edge_mean"]) for row in rows] == [(3, 2, 2.0), (4, 3, 6.0)]
    nothing = tmp_path / "hypothesis.json"
    nothing.write_text('{"edges": []}')
    for line, size in ((1, 6), (2, 6), (3, 6), (4, 2), (5, 2)):
        assert len(run(capsys, "records", file, "--line", line, "--count", 3)) == 3
        assert len(run(capsys, "simulate", file, "--line", line, "--set", "ph=40")) == 2
        assert run(capsys, "score", file, "--line", line, nothing)["shd"] == size


def test_the_documented_states(capsys, file):
    bases = ["--base", "ph=10", "--base", "moisture=20", "--base", "density=30"]
    steps = ["--set", "moisture=9", "--set", "density=0"]
    states = run(capsys, "simulate", file, "--line", 1, *bases, *steps)
    assert [state[TARGET] for state in states] == [373, 232, -68]
    start, shifted = run(capsys, "simulate", file, "--line", 2, *bases, "--set", "density=30", "--hidden=5")
    assert start == {"density": 30, "ph": 70, "moisture": 150, TARGET: 373}
    assert shifted == {"density": 30, "ph": 75, "moisture": 160, TARGET: 398}
