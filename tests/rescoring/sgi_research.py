"""Deep research of sgi: is the answer right at the digits asked for, and which steps are right?"""

from __future__ import annotations

import re
import unicodedata
from decimal import ROUND_HALF_UP, Decimal

from tests.rescoring.replies import (
    ALIASES,
    CLOSING,
    OPENING,
    close,
    decimal,
    in_base,
    last_object,
    tagged,
    tagged_as_released,
)


def judged(public, hidden, reply, given):
    text, was_tagged = tagged(reply)
    block = last_object(reply, ("steps", "answer"))
    answer = text
    if not was_tagged and isinstance(block.get("answer"), str | int | float):
        answer = str(block["answer"])
    gold = hidden["answer"]
    strict = float(answer == gold)
    told = [step for step in block.get("steps") or [] if isinstance(step, dict)]
    matched = matches(told, hidden["x_steps"])
    n, m = len(told), len(hidden["x_steps"])
    ours = {
        "em_strict": strict,
        "sla": matched / max(n, m) if n else 0.0,
        "sla_precision": matched / n if n else 0.0,
        "sla_recall": matched / m if n else 0.0,
    }
    # As released an answer stands in the last tag, which has to be closed.
    closed = CLOSING in reply.rpartition(OPENING)[2] if was_tagged else False
    old = float((tagged_as_released(reply) if closed else reply.strip()) == gold)
    return {
        "default": (float(right(answer, gold, hidden["x_response"])), ours),
        "paper": (strict, {"em_strict": strict, "sla": None}),
        "released": (old, {"em_strict": old, "sla": None}),
    }


SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def normal(text):
    text = re.sub(r"\s*[×x]\s*10([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)", lambda m: "e" + m[1].translate(SUPERSCRIPTS), text)
    text = unicodedata.normalize("NFKC", text).replace("\u2212", "-").strip()
    return re.sub(r"\s*[×x]\s*10\^?(-?\d+)", r"e\1", text)


def right(answer, gold, parts):
    text = normal(answer)
    text = text[:-1].rstrip() if text.endswith(".") else text
    k = len(parts)
    answers = [a.strip() for a in re.split("[,;]", text)] if k > 1 else [text]
    golds = [g.strip() for g in gold.split(",")] if k > 1 else [gold]
    return len(answers) == k and all(map(part_right, answers, golds, parts, [k == 1] * k))


def part_right(answer, gold, part, alone):
    answer = re.sub(r"^(~|≈|about\b)\s*", "", answer, flags=re.I)
    if part["kind"] == "string":
        return folded(answer) in {folded(word) for word in (gold, *part["aliases"])}
    unit = normal(part.get("unit") or "")
    unit = ALIASES.get(unit, unit)
    if unit:
        names = "|".join(re.escape(name) for name in (unit, *(a for a, u in ALIASES.items() if u == unit)))
        answer = re.sub(rf"\s*({names})$", "", answer)
    if alone and re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?", answer):
        answer = answer.replace(",", "")
    return numerically(answer, normal(gold))


def folded(text):
    return re.sub(r"[\s-]+", " ", normal(text)).strip().casefold()


def numerically(answer, gold):
    """Equal in value, or written as finely as the reference and rounding half up to it."""
    a, b = decimal(answer), decimal(gold)
    if a is None or b is None or not re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", answer):
        return False
    place = b.as_tuple().exponent
    return a == b or (
        a.as_tuple().exponent <= place and a.quantize(Decimal(1).scaleb(place), ROUND_HALF_UP) == b
    )


def matches(told, gold):
    """Each step in order takes the first step of the reference that is left and says the same."""
    left, count = list(gold), 0
    for step in told:
        fitting = [one for one in left if same(step, one)]
        if fitting:
            left.remove(fitting[0])
            count += 1
    return count


def same(step, gold):
    if step.get("kind") != gold["kind"]:
        return False
    if gold["kind"] in ("find", "read") and step.get("source") != gold["doc_id"]:
        return False
    if gold["kind"] == "find":
        return True
    given, wanted = step.get("value"), gold["value"]
    if not isinstance(given, str | int | float) or isinstance(given, bool):
        return False
    a, b = decimal(normal(str(given))), decimal(normal(str(wanted)))
    if a is None or b is None:
        return folded(str(given)) == folded(str(wanted))
    unit, true_unit = (ALIASES.get(u, u) for u in (step.get("unit") or "", gold["unit"] or ""))
    if gold["kind"] == "read":
        return numerically(normal(str(given)), normal(str(wanted)))
    (kind, x), (other, y) = in_base(a, unit), in_base(b, true_unit)
    if kind != other:
        return False
    return abs(x) <= Decimal("1e-9") if y == 0 else close(x, y, "1e-3")
