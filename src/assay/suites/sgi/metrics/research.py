"""Deep research: exact match of an answer (EM), and accuracy of the steps on the way to it (SLA)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

from assay.suites.sgi.text.quantities import ALIASES, Quantity, close, decimal, folded, unit_of

HEDGES = ("~", "≈", "about ")


@dataclass(frozen=True)
class Part:
    """What one part of an answer must be: a number with a unit, or a text with aliases."""

    kind: str
    unit: str = ""
    aliases: tuple[str, ...] = ()


def parts_of(gold: str, response: Sequence[Mapping[str, Any]] | None) -> list[Part]:
    """The declared parts; without a declaration the numbers between commas, if all are, else one text."""
    if response:
        return [
            Part(str(p.get("kind", "string")), str(p.get("unit") or ""), tuple(p.get("aliases") or ()))
            for p in response
        ]
    pieces = [piece.strip() for piece in gold.split(",")]
    if all(decimal(folded(piece)) is not None for piece in pieces):
        return [Part("number") for _ in pieces]
    return [Part("string")]


def exact_match(gold: str, answer: str, response: Sequence[Mapping[str, Any]] | None = None) -> bool:
    """The objective rule: part by part, numbers by value and written precision, texts by folded words."""
    wanted = parts_of(gold, response)
    golds, answers = _split(gold, len(wanted)), _split(answer[:10_000], len(wanted))
    if len(golds) != len(wanted) or len(answers) != len(wanted):
        return False
    alone = len(wanted) == 1
    return all(_same_part(g, a, part, alone) for g, a, part in zip(golds, answers, wanted, strict=True))


def _split(text: str, parts: int) -> list[str]:
    text = folded(text).strip().removesuffix(".")
    return [text] if parts == 1 else re.split("[,;]", text)


def _same_part(gold: str, answer: str, part: Part, alone: bool) -> bool:
    gold, answer = gold.strip(), answer.strip()
    for hedge in HEDGES:
        answer = answer.removeprefix(hedge).strip()
    if part.kind != "number":
        return _words(answer) in {_words(gold), *map(_words, part.aliases)} and bool(_words(answer))
    if part.unit:
        answer = _without_unit(answer, unit_of(part.unit))
    if alone and re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?", answer):
        answer = answer.replace(",", "")
    return same_number(gold, answer)


def _without_unit(answer: str, unit: str) -> str:
    """An answer without the unit at its end, as the table has it or by another name of it."""
    for name in (unit, *(alias for alias, known in ALIASES.items() if known == unit)):
        if answer.endswith(name):
            return answer.removesuffix(name).strip()
    return answer


def same_number(gold: str, answer: str) -> bool:
    """Whether a number is equal in value, or is written at least as finely and rounds half-up to the gold."""
    want, got = decimal(gold), decimal(answer)
    if want is None or got is None:
        return False
    if want == got:
        return True
    place, written = want.as_tuple().exponent, got.as_tuple().exponent
    if not isinstance(place, int) or not isinstance(written, int) or written > place:
        return False
    with localcontext() as context:
        context.prec = 2500  # more than `decimal` lets a number have
        return got.quantize(Decimal((0, (1,), place)), rounding=ROUND_HALF_UP) == want


def _words(text: str) -> str:
    return " ".join(re.sub(r"[\s-]+", " ", folded(text).casefold()).split())


@dataclass(frozen=True)
class StepAccuracy:
    """Matched steps among those of the model and those of the reference."""

    matched: int
    model: int
    gold: int

    @property
    def paper(self) -> float:
        """Correct steps over the steps of the model; 0 without any."""
        return self.matched / self.model if self.model else 0.0

    @property
    def recall(self) -> float:
        """Correct steps over the steps of the reference."""
        return self.matched / self.gold if self.gold else 0.0

    @property
    def objective(self) -> float:
        """Correct steps over the longer of both, so that one safe step is not enough."""
        return self.matched / max(self.model, self.gold) if self.model else 0.0


def step_accuracy(gold: Sequence[Mapping[str, Any]], model: Sequence[Any]) -> StepAccuracy:
    """Each model step in order takes the first unused gold step that it matches."""
    records = [step for step in model if isinstance(step, dict)]
    unused = list(range(len(gold)))
    matched = 0
    for step in records:
        for at in unused:
            if _same_step(gold[at], step):
                unused.remove(at)
                matched += 1
                break
    return StepAccuracy(matched, len(records), len(gold))


def _same_step(gold: Mapping[str, Any], step: Mapping[str, Any]) -> bool:
    kind = gold.get("kind")
    if step.get("kind") != kind:
        return False
    if kind in ("find", "read") and step.get("source") != gold.get("doc_id"):
        return False
    if kind == "find":
        return True
    value, wanted = str(step.get("value", "")), str(gold.get("value", ""))
    if kind == "read":
        return same_number(folded(wanted).strip(), folded(value).strip()) or _words(value) == _words(wanted)
    want, got = decimal(folded(wanted).strip()), decimal(folded(value).strip())
    if want is None or got is None:
        return _words(value) == _words(wanted)
    ours, theirs = unit_of(str(gold.get("unit") or "")), unit_of(str(step.get("unit") or ""))
    return close(Quantity(got, theirs), Quantity(want, ours), 1e-3)
