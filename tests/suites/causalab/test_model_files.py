"""Files of models: the released schema, round trips, and one clear error for every broken rule."""

from __future__ import annotations

import copy
import json
import random

import pytest
from tests.suites.causalab.examples import FIRST_RAW, SECOND_RAW, TARGET, hidden

from assay.suites.causalab.model.files import (
    ModelError,
    model_line,
    model_of,
    read_model,
    read_models,
    write_models,
)
from assay.suites.causalab.model.generator import HIDDEN, model


def test_files_survive_a_round_trip(tmp_path):
    models = [
        model(family, 4, n, 1) for family in ("linear", "quad", "quad_hard", "freqparent") for n in (0, 1)
    ]
    models += [model("linear", 4, 0, 1, variant) for variant in HIDDEN]
    models.append(model_of({**FIRST_RAW, "something_new": [1, {"kept": True}]}, "x"))
    write_models(tmp_path / "models.jsonl", models)
    assert read_models(tmp_path / "models.jsonl") == models
    assert [m.raw for m in read_models(tmp_path / "models.jsonl")] == [m.raw for m in models]
    assert read_model(tmp_path / "models.jsonl", 3) == models[2]


def spoilt(change):
    value = copy.deepcopy(SECOND_RAW)
    change(value)
    return value


def put(*path, to):
    def change(value):
        for key in path[:-1]:
            value = value[key]
        value[path[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda v: v.pop("nodes"), "nodes: the field is missing"),
        (put("graph_id", to=1), "graph_id: must be a text"),
        (put("budget", to=-1), "budget: must be a whole number"),
        (put("budget", to=True), "budget: must be a whole number"),
        (put("params", "base_freq", to="x"), "params.base_freq: must be a finite number"),
        (put("params", "base_freq", to=10**400), "params.base_freq: must be a finite number"),
        (put("edges", 0, "from", to="heat"), "edges[0].from: 'heat' is no variable"),
        (put("edges", 0, "to", to=None), "edges[0].to: None is no variable"),
        (put("edges", 0, to=["ph", "freq"]), "edges[0]: must be an object"),
        (put("edges", 1, to={"from": "ph", "to": "ph"}), "edges[1]: ph cannot be its own cause"),
        (lambda v: v["edges"].append(v["edges"][0]), "is there twice"),
        (lambda v: v["edges"].append({"from": "ph", "to": "density"}), "nodes.density.computation"),
        (lambda v: v["nodes"].pop(TARGET), "is no variable"),
        (put("nodes", "ph", to=[]), "nodes.ph: must be an object"),
        (put("nodes", "ph", "observable", to="yes"), "nodes.ph.observable: must be true or false"),
        (put("nodes", TARGET, "is_controllable", to=True), "the target is never controllable"),
        (put("nodes", TARGET, "computation", to="base_freq +"), "missing at the end"),
        (put("nodes", TARGET, "computation", to="base_freq + heat"), "'heat' is neither a cause"),
        (put("nodes", "ph", "computation", to="base_ph + moisture"), "'moisture' is neither a cause"),
        (put("nodes", TARGET, "computation", to="__import__('os')"), "is no number, name or operator"),
        (put("nodes", TARGET, "computation", to="base_freq / 0"), "division by zero"),
        (put("nodes", TARGET, "computation", to="base_freq + 9 ^ 99"), "whole number from 0 to 16"),
        (put("nodes", TARGET, "computation", to="(" * 999 + "1"), "nested in more than"),
        (put("nodes", TARGET, "computation", to=7), "must be a text"),
        (put("nodes", "density", "is_controllable", to=False), "needs a computation"),
        (put("nodes", "ph", "base_value", "type", to="beta"), "must be uniform, fixed or normal"),
        (put("nodes", "ph", "base_value", "min", to=99), "must not be above max"),
        (put("nodes", "ph", "base_value", "min", to=None), "must be a finite number"),
        (put("hidden_variable", to=hidden(["heat"], [1])), "'heat' is no variable"),
        (put("hidden_variable", to=hidden(["ph"], [])), "value_space: must be a list that is not empty"),
        (put("quadratic_metadata", to={"reactor": {"ph": 1}}), "a number for each property"),
    ],
)
def test_every_rule_names_its_field(tmp_path, change, message):
    path = tmp_path / "models.jsonl"
    path.write_text(json.dumps(FIRST_RAW) + "\n" + json.dumps(spoilt(change)) + "\n")
    with pytest.raises(ModelError) as problem:
        read_models(path)
    assert message in problem.value.message
    assert problem.value.message.startswith(f"{path}, line 2: ")


def test_a_cycle_is_named(tmp_path):
    value = copy.deepcopy(SECOND_RAW)
    value["edges"].append({"from": "ph", "to": "density"})
    value["nodes"]["density"]["computation"] = "base_density + ph"
    with pytest.raises(ModelError, match="edges: the graph has a directed cycle"):
        model_of(value, "here")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"graph_id": ', "not a JSON object"),
        ('{"graph_id": NaN}', "graph_id: nan is not a finite number"),
        ('{"params": {"base_freq": -Infinity}}', "params.base_freq: -inf is not a finite number"),
        ('{"extra": [1.5, {"deep": 2e999}]}', "extra[1].deep: inf is not a finite number"),
        ('{"graph_id": "a", "graph_id": "b"}', "a key occurs twice"),
        ("[" * 200_000, "nested too deeply"),
        ("[1]", "a model is a JSON object"),
        ("{}" + " " * 1_000_001 + "\n", "longer than"),
    ],
)
def test_cut_and_strange_lines(tmp_path, text, message):
    path = tmp_path / "models.jsonl"
    path.write_text("\n" + text.replace("\n", "x"))
    with pytest.raises(ModelError) as problem:
        read_models(path)
    assert message in problem.value.message
    assert "line 2" in problem.value.message


def test_missing_files_and_lines(tmp_path):
    with pytest.raises(ModelError, match="cannot be read"):
        read_models(tmp_path / "nothing")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(ModelError, match="not UTF-8"):
        read_models(tmp_path / "bytes")
    write_models(tmp_path / "one", [model("linear", 3, 0, 0)])
    for line in (0, 2):
        with pytest.raises(ModelError, match="the file has 1 models"):
            read_model(tmp_path / "one", line)


def mutate(value, chance):
    """A model with one to three things in it changed at random."""
    for _ in range(chance.randint(1, 3)):
        node = value
        while True:
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            if not keys:
                break
            key = chance.choice(keys)
            if isinstance(node[key], dict | list) and chance.random() < 0.8:
                node = node[key]
                continue
            what = chance.random()
            if what < 0.2:
                node.pop(key)
            elif what < 0.5 and isinstance(node[key], str):
                text = list(node[key])
                for _ in range(chance.randint(1, 3)):
                    text.insert(chance.randint(0, len(text)), chance.choice("()^*/+- .ae09_'\"\\\n\x00é"))
                node[key] = "".join(text)
            else:
                node[key] = chance.choice(
                    [None, True, -1, 0, 1e308, 10**30, "", "ph", [], {}, [None], {"from": "ph", "to": "ph"}]
                )
            break
    return value


def fuzz(count, seed):
    chance = random.Random(seed)
    kept = 0
    for n in range(count):
        value = mutate(copy.deepcopy(SECOND_RAW if n % 2 else FIRST_RAW), chance)
        try:
            result = model_of(value, "fuzz")
            model_line(result)
            result.evaluate(dict.fromkeys(result.controllable, 10))
            kept += 1
        except ModelError as problem:
            assert problem.message.startswith("fuzz: ")
        except ValueError as problem:
            assert "finite" in str(problem)
    return kept


def test_spoilt_models_end_in_declared_errors_only():
    assert 0 < fuzz(1_500, 1) < 1_500


@pytest.mark.full
def test_a_hundred_thousand_spoilt_models():
    assert 0 < fuzz(100_000, 3) < 100_000
