"""The doors of causalab: records in the hypothesis language, expressions, released model files."""

from __future__ import annotations

import functools
import json
from pathlib import Path

from tests.reliability.fuzzing.door import ROOT, Defect, Door, on_file, on_text, some
from tests.reliability.fuzzing.tools import causalab_seeds

from assay.errors import AssayError
from assay.suites.causalab.dsl import (
    Carried,
    RecordError,
    compat_hypothesis,
    read_compat,
    read_strict,
    strict_hypothesis,
)
from assay.suites.causalab.metrics import equation
from assay.suites.causalab.metrics.report import report
from assay.suites.causalab.model import files
from assay.suites.causalab.model.expressions import ExpressionError, parse
from assay.suites.causalab.model.scm import Model


@functools.lru_cache
def models(count: int = 3) -> tuple[bytes, ...]:
    """The models of frozen tasks as lines of a released file: some have what is rare there."""
    found = []
    for folder in ("smoke-v0", "main-v0", "embodied-v0"):
        for path in sorted((ROOT / "tasks/causalab" / folder).glob("*.json"))[:count]:
            found.append(json.dumps(json.loads(path.read_bytes())["hidden"]["model"]).encode())
    return tuple(found)


def written_by_generator() -> list[bytes]:
    """Files of models of every family: two lines each."""
    from assay.suites.causalab.model.generator import HIDDEN, model

    found = [b"\n".join(models())]
    for family in ("linear", "quad_hard"):
        for hidden in ("", *sorted(HIDDEN)):
            lines = [files.model_line(model(family, 4, index, 7, hidden)) for index in range(2)]
            found.append("\n".join(lines).encode())
    return found


@functools.lru_cache
def first() -> Model:
    """One model."""
    return files.model_of(json.loads(models()[0]), "the first task")


def released(path: Path) -> object:
    """A released file: what is taken for a model can be written and read again, and makes crystals."""
    from assay.suites.causalab.simulation import instances

    found = files.read_models(path)
    for model in found:
        again = files.model_of(json.loads(files.model_line(model)), "written again")
        if again.edges != model.edges:
            raise Defect("a model that is another one when it is read again")
    for model in found[:2]:
        instances.manipulator_bases(model, 1)
    return found


def strict(text: str) -> object:
    """A record, read strictly; its hypothesis can be logged and evaluated."""
    found = read_strict(text, first().names)
    return _used(found.hypothesis)


def _used(hypothesis: object) -> object:
    from assay import canonical
    from assay.suites.causalab.dsl import Hypothesis

    if not isinstance(hypothesis, Hypothesis):
        raise Defect("no hypothesis")
    canonical.dumps(hypothesis.to_json()).encode()
    for family in ("linear", "quadratic"):
        equation.beyond_family(hypothesis, family)
    return equation.value_of(hypothesis, dict.fromkeys(first().names, 3.5)), report(first(), hypothesis)


def compatible(text: str) -> object:
    """A record, read as the released controller reads it: never an error."""
    carried = Carried()
    for _ in range(2):
        record, _ = read_compat(text, carried)
        _used(record.hypothesis)
        carried = Carried(record.memory, record.past_data, record.hypothesis.raw or {})
    return carried.cut()


def hypothesis(path: Path) -> object:
    """A hypothesis in a file, as `assay causalab score` reads it."""
    from argparse import Namespace

    from assay.suites.causalab.commands import _score

    lines = path.with_name("models.jsonl")
    if not lines.exists():
        lines.write_bytes(models()[0] + b"\n")
    found = []
    for strictly in (False, True):
        try:
            found.append(
                _score(Namespace(file=lines, line=1, hypothesis=path, strict=strictly, base=[], env_seed=1))
            )
        except AssayError:
            continue
    return found


def any_hypothesis(text: str) -> object:
    """A hypothesis of any JSON value."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    _used(compat_hypothesis(value))
    try:
        return _used(strict_hypothesis(value, first().names))
    except RecordError:
        return None


def expression(text: str) -> object:
    """An expression: parsed, its names, its value, its degree; and as a formula."""
    known = {"a": 3.0, "density": 2, "base": 1.0, "c_density": 0.5, "b": -1}
    equation.check_formula(text, ("a", "b"), known, 1.0)
    found = parse(text)
    try:
        return found.names, found.evaluate(known)
    except ExpressionError:
        return found.names


def hypotheses() -> list[bytes]:
    """The hypotheses in the records that are seeds elsewhere."""
    found = []
    for data in causalab_seeds():
        value = json.loads(data)
        for _, arguments in value.get("calls", ()):
            try:
                inner = json.loads(arguments["text"])
            except (ValueError, KeyError, TypeError):
                continue
            if isinstance(inner, dict) and "hypothesis" in inner:
                found.append(json.dumps(inner["hypothesis"]).encode())
    return list(dict.fromkeys(found))


def records() -> list[bytes]:
    """The texts of records."""
    found = []
    for data in causalab_seeds():
        for _, arguments in json.loads(data).get("calls", ()):
            found.append(str(arguments.get("text", "")).encode())
    plain = found[-1]
    return list(
        dict.fromkeys([*found, b"<think>x</think>\n```json\n" + plain + b"\n```", b"so: " + plain + b" done"])
    )


def rows() -> list[Door]:
    """The table's part."""
    equations = some(
        "base + c_density*density",
        "resonanceFreq = 12.5 + 2*a - (b^2)/3",
        "a**2*b",
        "-(-(a))",
        "2e3*a/(b+1)",
        "c_a_1*a + c_a_2*a^2",
        "((((a))))+.5",
    )
    return [
        Door("causalab record, strict", "json", on_text(strict), records, (RecordError,), 60),
        Door("causalab record, compatible", "json", on_text(compatible), records, (), 60),
        Door("causalab hypothesis", "json", on_text(any_hypothesis), hypotheses, (), 300),
        Door(
            "causalab hypothesis in a file",
            "json",
            on_file("hypothesis.json", hypothesis),
            hypotheses,
            (AssayError,),
            8,
            broken=(b"\xff", b"[" * 100_000),
        ),
        Door(
            "causalab expression",
            "expression",
            on_text(expression),
            equations,
            (ExpressionError,),
            300,
            broken=(b"1" * 5000, "²".encode(), b"(" * 100, b"-" * 20_000, b"a+" * 9000 + b"a"),
        ),
        Door(
            "causalab released models",
            "lines",
            on_file("models.jsonl", released),
            written_by_generator,
            (AssayError,),
            10,
        ),
    ]
