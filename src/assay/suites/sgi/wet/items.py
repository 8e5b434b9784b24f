"""A wet experiment in the released columns: background, pool with decoys, the only right program."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import Any

from assay.numbers.rng import Stream
from assay.suites.sgi.attempts import Rejected, first_passing
from assay.suites.sgi.families import item_name
from assay.suites.sgi.seeding import VERSION, permuted
from assay.suites.sgi.text.pool import pool_names
from assay.suites.sgi.text.program import Program, Step, parse_text, written
from assay.suites.sgi.wet import chemistry, life, material
from assay.suites.sgi.wet.machine import Action, ProtocolFamily
from assay.suites.sgi.wet.order import only_extension
from assay.suites.sgi.wet.protocol import Given, Protocol, lay_out
from assay.suites.sgi.wet.sentences import say

FAMILIES: tuple[ProtocolFamily, ...] = (*life.FAMILIES, *chemistry.FAMILIES, *material.FAMILIES)

LEVELS = (1, 2, 3, 4)


CONTRACT = """Write the protocol as a program between <answer> and </answer>. Each step is
out_k = <Action name>(
    parameter=value,
)
where a value is the output of an earlier step, a literal such as "5 mL", or a list [a, b]. Use actions of the
pool only, each as often as it is needed, and give every parameter."""


def cell(root: int, index: int) -> tuple[ProtocolFamily, int]:
    """The family and level of an item: every family at every level in 48 items, in an order of the root's."""
    families = permuted(root, "wet_experiment", "families", FAMILIES)
    levels = permuted(root, "wet_experiment", "levels", LEVELS)
    return families[index % len(FAMILIES)], levels[(index + index // len(FAMILIES)) % len(LEVELS)]


def generate(root: int, index: int, level: int | None = None) -> dict[str, Any]:
    """The item of that index, as a row of the released columns and our own (`x_...`).

    `TaskError` where no draw passes the rules.
    """
    family, own_level = cell(root, index)
    level = level or own_level
    attempt = partial(_draw, family, level, index)
    return first_passing(root, "wet_experiment", index, level, family.name, attempt)


def _draw(family: ProtocolFamily, level: int, index: int, stream: Stream) -> dict[str, Any]:
    protocol = lay_out(family, level, stream)
    decoys = draw_decoys(family, level, stream)
    pool = list(family.needed) + decoys
    stream.shuffle(pool)
    row = {
        "idx": item_name("wet_experiment", index),
        "question": _question(protocol, decoys, stream),
        "action_pool": pool_text(pool),
        "answer": "\n\n".join(written(step) for step in protocol.steps),
        "discipline": family.discipline,
        "direction": family.name,
        "x_level": level,
        "x_version": VERSION,
        "x_decoys": sorted(decoy.name for decoy in decoys),
        "x_precedence": sorted([list(p) for p in {*protocol.dependencies, *protocol.constraints}]),
        "x_params": _canonical_literals(protocol),
        "x_computed": sorted({g.literal for g in protocol.given if g.is_computed}),
    }
    validate(row)
    return row


def draw_decoys(family: ProtocolFamily, level: int, stream: Stream) -> list[Action]:
    """Between 3 and 10 actions that nobody needs: the family's own, and needed ones of other families."""
    own = stream.sample(family.decoys, 2 + (level > 1) + (level > 2))
    gives = {action.gives for action in family.needed}
    names = {action.name for action in family.needed}
    strangers = [
        action
        for other in FAMILIES
        if other is not family
        for action in other.needed
        if action.gives not in gives and action.name not in names
    ]
    return own + stream.sample(strangers, 1 + level)


def stands_in(decoy: Action, family: ProtocolFamily) -> bool:
    """Whether a decoy gives what the protocol needs, so that only the text can rule it out."""
    return any(decoy.gives == action.gives for action in family.needed)


def _question(protocol: Protocol, decoys: Iterable[Action], stream: Stream) -> str:
    family = protocol.family
    facts = [_fact(given, protocol, stream) for given in _said(protocol.given)]
    stream.shuffle(facts)
    order = [
        say("before", stream, first=protocol.labels[a], second=protocol.labels[b])
        for a, b in protocol.constraints
    ]
    stream.shuffle(order)
    never = [
        say("never", stream, action=decoy.name, reason=f"its {decoy.gives} would not do here")
        for decoy in decoys
        if stands_in(decoy, family)
    ]
    stream.shuffle(never)
    parts = [
        "Background\n" + family.story,
        "Samples\n"
        + say("samples", stream, samples=", ".join(protocol.samples))
        + "\n"
        + say("each", stream, actions=", ".join(action.name for action in family.branch)),
        "Facts\n" + "\n".join(facts),
        "Order\nBeside the flow of materials this holds.\n" + "\n".join(order),
        *(["Not here\n" + "\n".join(never)] if never else []),
        "Task\n" + say("goal", stream, goal=family.goal),
        CONTRACT,
    ]
    return "\n\n".join(parts)


def _said(given: Iterable[Given]) -> list[Given]:
    """What needs a sentence: of names of samples one an action."""
    found, named = [], set()
    for one in given:
        key = (one.action, one.setting.parameter)
        if one.setting.kind != "sample" or key not in named:
            found.append(one)
            named.add(key)
    return found


def _fact(given: Given, protocol: Protocol, stream: Stream) -> str:
    setting, action = given.setting, given.action
    if setting.kind == "sample":
        return say("label", stream, action=action, parameter=setting.parameter)
    if setting.kind == "series":
        return say(
            "series",
            stream,
            action=action,
            sample=given.sample or "",
            parameter=setting.parameter,
            value=given.literal,
        )
    if not given.is_computed:
        return say("fact", stream, action=action, parameter=setting.parameter, value=given.literal)
    units = {
        "dilution": (setting.other, setting.other, setting.unit),
        "scaled": (setting.unit, ""),
        "mass": ("mM", "mL", "g/mol"),
    }[setting.kind]
    words = [f"{value} {unit}".strip() for value, unit in zip(given.values, units, strict=True)]
    fields = dict(zip("abc", words, strict=False))
    return say(setting.kind, stream, action=action, parameter=setting.parameter, **fields)


def pool_text(pool: Iterable[Action]) -> str:
    """The pool in the released grammar; types stand in square brackets."""
    lines = ["Action Pool:"]
    for action in pool:
        names = [name for name, _ in action.takes] + [setting.parameter for setting in action.sets]
        lines += ["", f"<{action.name}>({', '.join(names)})", f"    {action.doc}", "    Args:"]
        for name, kind in action.takes:
            several = ", a list" if kind.endswith("*") else ""
            lines.append(f"        {name}: [{kind.rstrip('*')}]{several}")
        for setting in action.sets:
            lines.append(f"        {setting.parameter}: {_described(setting.kind, setting.unit)}")
        lines.append(f"    Returns: [{action.gives}]")
    return "\n".join(lines)


def _described(kind: str, unit: str) -> str:
    if kind == "sample":
        return "the name of a sample"
    if kind == "word":
        return "a word"
    return f"a quantity in {unit}" if unit else "a number"


def _canonical_literals(protocol: Protocol) -> list[dict[str, Any]]:
    """Of each step: its literal parameters with value, unit, kind of comparison and tolerance."""
    kinds = {(g.action, g.setting.parameter): g for g in protocol.given}
    found = []
    for step in protocol.steps:
        literals: dict[str, Any] = {}
        for key, value in step.arguments.items():
            given = kinds.get((step.action, key))
            if given is None:
                continue
            if given.setting.kind in ("word", "sample"):
                literals[key] = {"kind": "word", "value": value, "aliases": []}
            else:
                number, _, unit = str(value).partition(" ")
                literals[key] = {"kind": "quantity", "value": number, "unit": unit, "tolerance": 1e-6}
        found.append(literals)
    return found


def validate(row: dict[str, Any]) -> None:
    """Check what an item promises; `Rejected` names the rule that it breaks.

    One linear extension; a program that reads back as itself; no computed literal and no line of the program
    in the prompt; no output named like a literal; decoys that cannot stand in unless the text forbids them.
    """
    program = parse_text(row["answer"])
    n = len(program.steps)
    if only_extension(n, [(a, b) for a, b in row["x_precedence"]]) != list(range(n)):
        raise Rejected("the reference is not the only order")
    if program.issues or "\n\n".join(written(step) for step in program.steps) != row["answer"]:
        raise Rejected("the program does not read back as itself")
    shown = row["question"] + "\n" + row["action_pool"]
    for literal in row["x_computed"]:
        if re.search(rf"(?<![\d.]){re.escape(literal)}(?![\w.]*\d)", shown):
            raise Rejected("a computed literal is in the prompt")
    shown_lines = {line.strip() for line in shown.splitlines()}
    if any(len(line) > 1 and line.strip() in shown_lines for line in row["answer"].splitlines()):
        raise Rejected("a line of the program is in the prompt")
    literals = {v for step in program.steps for v in step.arguments.values() if isinstance(v, str)}
    made = {step.output for step in program.steps}
    needed = {step.action for step in program.steps}
    if not made.isdisjoint(literals - _referred(program)):
        raise Rejected("an output is named like a literal")
    pool = set(pool_names(row["action_pool"]))
    if not needed <= pool or pool - needed != set(row["x_decoys"]):
        raise Rejected("the pool is not what the protocol needs and its decoys")
    if not 3 <= len(row["x_decoys"]) <= 10:
        raise Rejected("the number of decoys")
    by_name = {action.name: action for family in FAMILIES for action in (*family.needed, *family.decoys)}
    gives = {by_name[name].gives for name in needed}
    for name in row["x_decoys"]:
        if by_name[name].gives in gives and f"Do not use {name}:" not in row["question"]:
            raise Rejected("a decoy could stand in for a step")


def _referred(program: Program) -> set[str]:
    seen: set[str] = set()
    found: set[str] = set()
    for step in program.steps:
        for value in step.arguments.values():
            found |= seen.intersection((value,) if isinstance(value, str) else value)
        seen.add(step.output)
    return found


def solve(row: dict[str, Any]) -> str:
    """The reply that is right."""
    return f"<answer>\n{row['answer']}\n</answer>"


def reply(steps: Iterable[Step]) -> str:
    """A reply that holds these steps."""
    return "<answer>\n" + "\n\n".join(written(step) for step in steps) + "\n</answer>"
