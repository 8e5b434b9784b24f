"""Reasoning about figures of sgi: the option that was chosen, and the readings behind it."""

from __future__ import annotations

import ast
import re
from decimal import Decimal

from tests.rescoring.comparing import UNCOUNTED
from tests.rescoring.replies import decimal, in_base, last_object


def judged(public, hidden, reply, given):
    options = public["columns"]["options"]
    gold = int(hidden["answer"])
    block = last_object(reply, ("readings", "answer"))
    chosen = letter(reply, block)
    right = chosen == gold
    boxes = re.findall(r"\\boxed\{([A-Z])\}", reply)
    old = bool(boxes) and ord(boxes[0]) - 65 == gold
    chance = 1 / len(options)
    rv = validity(hidden, options, block, chosen)
    return {
        "default": (float(right), {"rv": rv, "chance": chance}),
        "paper": (float(right), {"rv": None, "chance": chance}),
        "released": (float(old), {"rv": None, "chance": chance}),
    }


def letter(reply, block):
    """The place of the chosen option: the last box with one letter, else the JSON answer, else a line."""
    for content in reversed(re.findall(r"\\boxed\{((?:[^{}]|\{[^{}]*\})*)\}", reply)):
        if (one := single(content)) is not None:
            return one
    if isinstance(block.get("answer"), str) and (one := single(block["answer"])) is not None:
        return one
    lines = [line for line in reply.splitlines() if line.strip()]
    return single(lines[-1]) if lines else None


def single(text):
    text = re.sub(r"\\\w+\{([^{}]*)\}", r"\1", text)
    text = re.sub(r"[()\s]", "", text)
    text = text[:-1] if text.endswith(".") else text
    return ord(text.upper()) - 65 if re.fullmatch("[A-Za-z]", text) else None


def validity(hidden, options, block, chosen):
    """0.7 for matched readings and 0.3 for a formula that leads to the option; less where readings abound."""
    told = block.get("readings")
    told = [one for one in told if isinstance(one, dict)] if isinstance(told, list) else []
    first = {}
    for one in told:
        first.setdefault((str(one.get("panel")).casefold(), str(one.get("quantity")).casefold()), one)
    matched, readings = 0, {}
    for k, gold in enumerate(hidden["x_readings"]):
        one = first.get((str(gold["panel"]).casefold(), str(gold["quantity"]).casefold()))
        if one is None:
            continue
        value = one.get("value")
        number = None if isinstance(value, bool | None) else decimal(value)
        if isinstance(gold["value"], str):
            readings[f"r{k}"] = value
            matched += str(value).strip().casefold() == gold["value"].strip().casefold()
            continue
        if number is None:
            continue
        unit = one.get("unit") or ""
        (kind, x), (other, y) = in_base(number, unit), in_base(Decimal(repr(gold["value"])), gold["unit"])
        if kind != other:
            continue
        scale = in_base(Decimal(1), gold["unit"])[1] - in_base(Decimal(0), gold["unit"])[1]
        readings[f"r{k}"] = float((x - in_base(Decimal(0), gold["unit"])[1]) / scale)
        matched += abs(x - y) <= Decimal(repr(gold["tol"])) * scale * (1 + Decimal("1e-12"))
    n = len(hidden["x_readings"])
    readings |= hidden["x_fields"]
    if hidden["x_formula"].startswith("change("):
        # Which option a pattern of changes stands for is the template's; that of the truth is the right one.
        truth = {f"r{k}": gold["value"] for k, gold in enumerate(hidden["x_readings"])}
        mine, true = changes(readings), changes(truth)
        if mine != true and mine is not None and chosen is not None:
            return UNCOUNTED
        consistent = mine == true and chosen == int(hidden["answer"])
    else:
        consistent = leads_to(hidden["x_formula"], readings, options) == chosen and chosen is not None
    return (0.7 * matched / n + 0.3 * consistent) * min(1.0, 2 * n / max(len(told), 1))


def changes(readings):
    """Whether each pair of readings rises, falls or stays (within a tenth); null where one is missing."""
    try:
        pairs = [(readings[f"r{k}"], readings[f"r{k + 1}"]) for k in (0, 2, 4)]
    except KeyError:
        return None
    return [0 if abs(b - a) <= 0.1 * abs(a) else 1 if b > a else -1 for a, b in pairs]


def leads_to(formula, readings, options):
    """The option that a formula selects; null where a reading is missing or no option is near enough."""
    try:
        value = computed(ast.parse(formula, mode="eval").body, readings)
    except (KeyError, ArithmeticError, TypeError, ValueError):
        return None
    if isinstance(value, str):
        fitting = [
            k for k, option in enumerate(options) if option.strip().casefold() == value.strip().casefold()
        ]
        return fitting[0] if fitting else None
    numbers = [float(re.match(r"[-+]?[\d.]+(?:[eE][-+]?\d+)?", option)[0]) for option in options]
    gap = min(abs(a - b) for k, a in enumerate(numbers) for b in numbers[:k])
    nearest = min(range(len(numbers)), key=lambda k: abs(numbers[k] - value))
    return nearest if abs(numbers[nearest] - value) < gap / 2 else None


def computed(node, readings):
    import math

    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return readings[node.id]
        case ast.UnaryOp():
            return -computed(node.operand, readings)
        case ast.BinOp():
            a, b = computed(node.left, readings), computed(node.right, readings)
            signs = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
            return {
                "+": lambda: a + b,
                "-": lambda: a - b,
                "*": lambda: a * b,
                "/": lambda: a / b,
                "**": lambda: a**b,
            }[signs[type(node.op)]]()
        case ast.Call():
            known = {
                "log": math.log,
                "log10": math.log10,
                "log2": math.log2,
                "exp": math.exp,
                "sqrt": math.sqrt,
                "abs": abs,
                "max": max,
                "min": min,
            }
            return known[node.func.id](*(computed(one, readings) for one in node.args))
    raise ValueError(ast.dump(node))
