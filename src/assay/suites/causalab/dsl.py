"""The record that an agent writes at every step (paper, section 4), and the two ways to read it.

`read_strict` accepts a record only if it follows every rule; its error names the field and the broken rule.
`read_compat` reproduces the released reader, including its leniency, so that old logs can be scored.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from assay import surrogates
from assay.suites.causalab.model.expressions import ExpressionError, parse
from assay.suites.causalab.model.files import is_number
from assay.suites.causalab.model.scm import Edge, is_acyclic
from assay.suites.causalab.model.variables import TARGET, normalised

FIELDS = ("memory", "thought", "past_data", "hypothesis", "experiment")
"""The fields of a record, in their order; all other fields make up the action."""

KEPT = 4000
"""Number of characters of each of memory, past data and hypothesis that is carried to the next step."""


class Form(NamedTuple):
    """Extensions of the hypothesis language: cyclic graphs, and products P * Q with a coefficient `c_P_Q`."""

    cyclic: bool = False
    products: bool = False


PLAIN = Form()


class RecordError(ValueError):
    """A record breaks a rule; the attributes name the field and the rule."""

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule


@dataclass(frozen=True)
class Hypothesis:
    """A stated hypothesis: edges, the equation of the target as text, coefficients by key.

    `raw` is the JSON object as it was written.
    """

    edges: tuple[Edge, ...] = ()
    equation: str = ""
    coefficients: Mapping[str, Any] = field(default_factory=dict)
    raw: Any = None

    @property
    def empty(self) -> bool:
        return not (self.edges or self.equation or self.coefficients)

    def to_json(self) -> dict[str, Any]:
        """Return the hypothesis as the JSON object of a record.

        Lone surrogates in an old log are replaced. Coefficients that are neither strings nor finite numbers
        become None.
        """
        return {
            "edges": [{"from": surrogates.replace(a), "to": surrogates.replace(b)} for a, b in self.edges],
            "freq_equation": surrogates.replace(self.equation),
            "coefficients": {
                surrogates.replace(key): _plain(value) for key, value in self.coefficients.items()
            },
        }


def _plain(value: Any) -> float | str | None:
    if isinstance(value, str):
        return surrogates.replace(value)
    return value if is_number(value) else None


@dataclass(frozen=True)
class Record:
    """One step: notes, evidence, hypothesis, plan, and the action as a JSON object."""

    memory: Any
    thought: Any
    past_data: Any
    hypothesis: Hypothesis
    experiment: Any
    action: Mapping[str, Any]


# ------------------------------------------------------------ from a reply to a JSON text

_THINK = re.compile(r"<think>.*?</think>", re.IGNORECASE | re.DOTALL)
_FENCE = "```json\n"


def extract(reply: str) -> str | None:
    """Return the part of a reply that should be parsed as JSON, or None if there is none.

    The first of these that exists is returned: the content of a closed code fence, the content of an unclosed
    one, the whole text if it is valid JSON, the last block of balanced braces. Braces inside strings are
    counted as well.
    """
    text = _THINK.sub("", reply)
    start = text.find(_FENCE)
    while start >= 0:
        inside = text[start + len(_FENCE) :]
        end = inside.find("```")
        if end >= 0:
            return inside[:end].strip()
        if inside.strip():
            return inside.strip()
        start = text.find(_FENCE, start + 1)
    whole = text.strip()
    if _parses(whole):
        return whole
    return _last_block(text)


def _parses(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _last_block(text: str) -> str | None:
    depth, start, block = 0, 0, None
    for at, sign in enumerate(text):
        if sign == "{":
            if depth == 0:
                start = at
            depth += 1
        elif sign == "}" and depth:
            depth -= 1
            if depth == 0:
                block = text[start : at + 1]
    return block


# ------------------------------------------------------------ strict


def read_strict(reply: str, names: Collection[str], form: Form = PLAIN) -> Record:
    """Return the record in a reply. `names` are the declared variables.

    Raises `RecordError` for the first rule that the reply breaks.
    """
    return _record(reply, tuple(names), form)


@lru_cache(maxsize=64)  # an episode's records are read by its world, then by scoring, then by the audit
def _record(reply: str, names: tuple[str, ...], form: Form) -> Record:
    value = _strict_json(reply)
    for key in FIELDS:
        if key not in value:
            raise RecordError(key, "the field is missing")
    for key in ("memory", "thought"):
        if not isinstance(value[key], str):
            raise RecordError(key, "must be a text")
    if not isinstance(value["past_data"], list):
        raise RecordError("past_data", "must be a list")
    if not isinstance(value["experiment"], dict):
        raise RecordError("experiment", "must be an object; {} where nothing is planned")
    return Record(
        memory=value["memory"],
        thought=value["thought"],
        past_data=value["past_data"],
        hypothesis=strict_hypothesis(value["hypothesis"], names, form),
        experiment=value["experiment"],
        action={key: content for key, content in value.items() if key not in FIELDS},
    )


def _strict_json(reply: str) -> dict[str, Any]:
    # Most replies are a single object and nothing else; this branch parses them only once.
    if reply.startswith("{") and _THINK.search(reply) is None:
        try:
            whole: dict[str, Any] = _strict_loads(reply)
        except (ValueError, RecursionError, OverflowError):
            pass
        else:
            return whole
    text = extract(reply)
    if text is None:
        raise RecordError("record", "no JSON object was found in the reply")
    try:
        value = _strict_loads(text)
    except (ValueError, RecursionError, OverflowError) as problem:
        reason = "nested too deeply" if isinstance(problem, RecursionError) else str(problem)
        raise RecordError("record", f"not a JSON object ({reason[:120]})") from problem
    if not isinstance(value, dict):
        raise RecordError("record", "must be one JSON object")
    return value


def _strict_loads(text: str) -> Any:
    """Parse a JSON text; raises `ValueError` if it is invalid or holds a number that is not finite."""
    return json.loads(text, parse_constant=_no_constant, parse_float=_finite)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _finite(text: str) -> float:
    if not abs(value := float(text)) < math.inf:
        raise ValueError(f"{text[:40]} is too large for a number")
    return value


def strict_hypothesis(value: Any, names: Collection[str], form: Form = PLAIN) -> Hypothesis:
    """Return the hypothesis of a JSON value; raises `RecordError` for the first rule it breaks."""
    if not isinstance(value, dict):
        raise RecordError("hypothesis", "must be an object")
    edges = _strict_edges(value.get("edges"), names, form.cyclic)
    coefficients = _strict_coefficients(value.get("coefficients"))
    equation = value.get("freq_equation")
    if equation is not None and not isinstance(equation, str):
        raise RecordError("hypothesis.freq_equation", "must be a text, or null")
    named = {name for key in coefficients if key != "base" for name in _named(key, form)}
    parents = {a for a, b in edges if b == TARGET}
    if named != parents:
        raise RecordError(
            "hypothesis.coefficients",
            f"must have c_<property> for exactly the causes of {TARGET} among the edges: "
            f"{', '.join(sorted(parents)) or 'none'}",
        )
    symbols = _symbols(equation or "")
    if symbols != parents:
        raise RecordError(
            "hypothesis.freq_equation",
            f"must use exactly the edges' causes of {TARGET}: {', '.join(sorted(parents)) or 'none'}",
        )
    return Hypothesis(edges, equation or "", coefficients, value)


def _strict_edges(value: Any, names: Collection[str], cyclic: bool) -> tuple[Edge, ...]:
    if not isinstance(value, list):
        raise RecordError("hypothesis.edges", "must be a list")
    edges: dict[Edge, None] = {}
    for n, edge in enumerate(value):
        place = f"hypothesis.edges[{n}]"
        if not isinstance(edge, dict) or not {"from", "to"} <= edge.keys():
            raise RecordError(place, "must be an object with the keys from and to")
        ends = []
        for key in ("from", "to"):
            name = normalised(edge[key]) if isinstance(edge[key], str) else None
            if name is None or name not in names:
                raise RecordError(f"{place}.{key}", f"must be one of {', '.join(names)}")
            ends.append(name)
        pair = (ends[0], ends[1])
        if pair[0] == pair[1]:
            raise RecordError(place, "a variable is not its own cause")
        if pair in edges:
            raise RecordError(place, "the edge is there twice")
        edges[pair] = None
    if not cyclic and not is_acyclic(tuple(names), tuple(edges)):
        raise RecordError("hypothesis.edges", "the graph has a directed cycle")
    return tuple(edges)


def _strict_coefficients(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise RecordError("hypothesis.coefficients", "must be an object")
    for key, number in value.items():
        if key != "base" and not key.startswith("c_"):
            raise RecordError(f"hypothesis.coefficients.{key[:60]}", "the keys are base and c_<property>")
        if number is not None and not is_number(number):
            raise RecordError(f"hypothesis.coefficients.{key[:60]}", "must be a finite number, or null")
    return value


def _named(key: str, form: Form) -> tuple[str, ...]:
    """Return the variables in a coefficient's key; `c_P_1` and `c_P_2` are the two terms of a quadratic."""
    name = key.removeprefix("c_")
    if form.products:
        return tuple(name.split("_"))
    return (name[:-2] if name.endswith(("_1", "_2")) else name,)


def right_side(equation: str) -> str:
    """Return the part of an equation after its first `=`, or the whole text if there is no `=`."""
    _, sign, right = equation.partition("=")
    return right if sign else equation


def _symbols(equation: str) -> set[str]:
    right = right_side(equation)
    if not right.strip():
        return set()
    try:
        names = parse(right).names
    except ExpressionError as problem:
        raise RecordError("hypothesis.freq_equation", str(problem)) from problem
    return {normalised(name) for name in names if name != "base" and not name.startswith("c_")}


# ------------------------------------------------------------ compatible


@dataclass(frozen=True)
class Carried:
    """The state that the released controller carries from step to step."""

    memory: Any = ""
    past_data: Any = field(default_factory=list)
    hypothesis: Any = field(default_factory=dict)

    def cut(self) -> Carried:
        """Cut each part to the first `KEPT` characters of its text; unparsable remainders become empty."""
        memory = self.memory if isinstance(self.memory, str) else _dumps(self.memory)
        return Carried(memory[:KEPT], _recut(self.past_data, []), _recut(self.hypothesis, {}))


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _recut(value: Any, empty: Any) -> Any:
    try:
        return json.loads(_dumps(value)[:KEPT])
    except (ValueError, RecursionError):
        return empty


def read_compat(reply: str, carried: Carried) -> tuple[Record, bool]:
    """Return the record in a reply, and whether the step failed; never raises an error.

    The record of a failed step has the carried content and an action that the world will refuse.
    """
    text = extract(reply)
    value: Any = None
    if text is not None:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
    if not isinstance(value, dict):
        kept = carried.cut()
        hypothesis = compat_hypothesis(kept.hypothesis)
        return Record(kept.memory, "", kept.past_data, hypothesis, {}, {"action": "WAIT"}), True
    return (
        Record(
            memory=value.get("memory", ""),
            thought=value.get("thought", ""),
            past_data=value.get("past_data", []),
            hypothesis=compat_hypothesis(value.get("hypothesis")),
            experiment=value.get("experiment", {}),
            action={key: content for key, content in value.items() if key not in FIELDS},
        ),
        False,
    )


def compat_hypothesis(value: Any) -> Hypothesis:
    """Return the hypothesis of any JSON value; parts of the wrong type become empty."""
    if not isinstance(value, dict):
        return Hypothesis(raw=value)
    equation = value.get("freq_equation")
    coefficients = value.get("coefficients")
    return Hypothesis(
        edges=edge_list(value.get("edges")),
        equation=equation if isinstance(equation, str) else "",
        coefficients=coefficients if isinstance(coefficients, dict) else {},
        raw=value,
    )


def edge_list(value: Any) -> tuple[Edge, ...]:
    """Return the edges of any JSON value, with normalised names.

    An edge is an object with the keys `from` and `to`, or a pair; all else is ignored.
    """
    edges: dict[Edge, None] = {}
    for edge in value if isinstance(value, list) else ():
        ends: Any = None
        if isinstance(edge, dict):
            ends = (edge.get("from"), edge.get("to"))
        elif isinstance(edge, list | tuple) and len(edge) == 2:
            ends = tuple(edge)
        if ends is not None and all(isinstance(end, str) for end in ends):
            pair = (normalised(ends[0]), normalised(ends[1]))
            if pair[0] and pair[1]:
                edges[pair] = None
    return tuple(edges)
