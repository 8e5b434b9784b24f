"""A deep-research item in the released columns: a question, its literature, gold steps and traps."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from assay.numbers.rng import Stream
from assay.suites.sgi.attempts import Rejected, first_passing
from assay.suites.sgi.families import DISCIPLINES, RESEARCH_TYPES, item_name
from assay.suites.sgi.metrics.research import exact_match
from assay.suites.sgi.research import vocabulary
from assay.suites.sgi.research.evidence import FAULTS, Fault, NotFound, half_up, truncated
from assay.suites.sgi.research.literature import DOCUMENTS, Planted, Planter, by_id
from assay.suites.sgi.research.papers import Paper, from_json, to_json
from assay.suites.sgi.research.templates import (
    Computed,
    Programme,
    Template,
    answer_unit,
    of_type,
    parse_question,
    response,
)
from assay.suites.sgi.research.vocabulary import BY_NAME, CONDITIONS, KINDS, QUANTITIES
from assay.suites.sgi.seeding import VERSION, item_seed, item_stream, permuted

LEVELS = (1, 2, 3, 4)

CONSTRAINTS = (
    "A retracted paper does not count. A correction replaces the value that it names. The version of record "
    "replaces its preprint. Where text and table disagree, the table counts. A former name means the same as "
    "the current one. Only values at exactly the stated condition count."
)

CONTRACT = """Show the way as JSON and the final answer between tags:
{"steps": [{"kind": "find|read|convert|compute", "claim": "..", "value": "..", "unit": "..", "source": ".."}]}
<answer>..</answer>
A step `find` or `read` has the doc_id of its document as source; a correction is read in its notice."""

CONSTANTS = {
    "density": "The Avogadro constant is 6.02214076e23 per mol.",
    "activation-energy": "The gas constant is 8.314462618 J/(mol K).",
}


def cell(root: int, index: int) -> tuple[str, str, int]:
    """Type, discipline and level of an item: all pairs of the first two in 40 items, in the root's order."""
    types = permuted(root, "deep_research", "types", RESEARCH_TYPES)
    disciplines = permuted(root, "deep_research", "disciplines", DISCIPLINES)
    levels = permuted(root, "deep_research", "levels", LEVELS)
    return (
        types[index % 4],
        disciplines[(index + index // 20) % 10],
        levels[(index // 4 + index // 16) % 4],
    )


def generate(root: int, index: int, level: int | None = None) -> dict[str, Any]:
    """The item of that index, as a row of the released columns and our own (`x_...`).

    `x_corpus` has the papers. `TaskError` where no draw passes the rules.
    """
    kind, discipline, own_level = cell(root, index)
    level = level or own_level
    seed = item_seed(root, "deep_research", index)
    template = item_stream(seed, "deep_research", 0, index, 0).choice(of_type(kind))
    attempt = partial(_draw, template, discipline, level, index)
    return first_passing(root, "deep_research", index, level, template.name, attempt)


def _draw(template: Template, discipline: str, level: int, index: int, stream: Stream) -> dict[str, Any]:
    entities = vocabulary.names(discipline, 12 + stream.below(9), stream)
    fields, axis = _fields(template, discipline, level, entities[0], stream)
    programme = Programme(template, fields)
    planter = Planter(programme, discipline, level, entities, stream)
    planted = planter.plant(axis)
    asked = Programme(template, {**fields, "entity": planted.asked} if "entity" in fields else fields)
    try:
        parts, trail = asked.run(planted.papers())
    except NotFound as missing:
        raise Rejected(str(missing)) from missing
    decimals = _decimals(template, parts)
    answer = rounded(parts, decimals)
    wanted = response(template, decimals, answer_unit(template, fields))
    row = {
        "idx": item_name("deep_research", index),
        "question": question(asked, discipline, wanted),
        "steps": readable(trail.steps),
        "answer": answer,
        "discipline": discipline,
        "direction": template.name,
        "type": template.type,
        "x_level": level,
        "x_version": VERSION,
        "x_response": wanted,
        "x_steps": trail.steps,
        "x_traps": _traps(asked, planted, parts, decimals, answer, wanted),
        **_read_documents(asked, planted, decimals, answer),
    }
    _check_answer(row, parts, decimals)
    papers = by_id([*planted.papers(), *planter.surroundings(axis)])
    row["x_corpus"] = [to_json(paper) for paper in papers]
    validate(row)
    return row


def _fields(
    template: Template, discipline: str, level: int, entity: str, stream: Stream
) -> tuple[dict[str, str], tuple[str, ...]]:
    """What the sentence of a template says, and the conditions that are reported."""
    axis = CONDITIONS[discipline]
    if template.name == "activation-energy":
        axis = vocabulary.TEMPERATURES
    elif template.name == "half-life":
        axis = vocabulary.TIMES
    elif template.name == "standard-addition":
        axis = vocabulary.ADDITIONS
    elif template.name in ("change", "trend"):
        axis = vocabulary.YEARS
    first, second = sorted(stream.sample(range(len(axis)), 2))
    quantity = stream.choice(QUANTITIES[discipline])
    fields = {"entity": entity, "condition": axis[first], "other": axis[second], "quantity": quantity.name}
    fields["kind"] = KINDS[discipline]
    share = quantity.low + (quantity.high - quantity.low) * (0.35 + 0.3 * stream.uniform())
    fields["threshold"] = f"{share:.1f} {quantity.unit}"
    fields["z"] = str(stream.choice((1, 2, 4, 8)))
    fields["exponent"] = str(stream.choice((2, 3, 4)))
    fields["dose"] = str(5 + stream.below(30))
    fields["added"] = str(5 + stream.below(40))
    years = sorted(stream.sample(axis, {1: 2, 2: 2, 3: 3, 4: 4}[level])) if template.name == "trend" else []
    fields["years"] = ", ".join(years)
    return {key: value for key, value in fields.items() if f"{{{key}}}" in template.sentence}, axis


def _decimals(template: Template, parts: Sequence[Computed]) -> int:
    """So many that the smallest part has about three digits; whole counts, shares with one."""
    if template.name in ("count", "largest", "share"):
        return 1 if template.name == "share" else 0
    smallest = min(abs(value) for _, value, _ in parts if isinstance(value, Fraction))
    if smallest == 0:
        raise Rejected("a part of the answer is zero")
    decimals = 2
    while decimals < 5 and smallest * 10**decimals < 50:
        decimals += 1
    while decimals > 0 and smallest * 10**decimals > 20_000:
        decimals -= 1
    return decimals


def rounded(parts: Sequence[Computed], decimals: int, cut: bool = False) -> str:
    """The answer as it is written: numbers with so many decimals, half-up, or cut off."""
    write = truncated if cut else half_up
    return ", ".join(value if isinstance(value, str) else write(value, decimals) for _, value, _ in parts)


def question(programme: Programme, discipline: str, wanted: Sequence[Mapping[str, Any]]) -> str:
    """The prompt: background, constraints, data, question, response as labelled paragraphs."""
    quantities = sorted({lookup.quantity for lookup in programme.lookups})
    units = ", ".join(f"{name} in {BY_NAME[name].unit or 'plain numbers'}" for name in quantities)
    data = f"Work with {units}. The values are in the documents only."
    constant = CONSTANTS.get(programme.template.name)
    return "\n\n".join(
        [
            f"Background\nThis is about the literature of {discipline}; its documents are reached by search.",
            f"Constraints\n{CONSTRAINTS}",
            f"Data\n{data}" + (f" {constant}" if constant else ""),
            f"Question\n{programme.template.ask(programme.fields)}",
            f"Response\n{_required(programme, wanted)}",
            CONTRACT,
        ]
    )


def _required(programme: Programme, wanted: Sequence[Mapping[str, Any]]) -> str:
    first = wanted[0]
    if first["kind"] == "string":
        return "Give the current name, nothing else."
    unit = f"in {first['unit']}, without the unit" if first["unit"] else "as a plain number"
    text = f"Give each number {unit}, with {first['decimals']} decimals, halves rounded up."
    return text + (" Separate the two numbers by a comma." if len(wanted) > 1 else "")


def asked(row: Mapping[str, Any]) -> Programme:
    """The programme that the question of an item asks for; `Rejected` where it cannot be read."""
    found = read_question(str(row["question"]))
    if found is None:
        raise Rejected("the question cannot be read")
    return found


def read_question(text: str) -> Programme | None:
    """The programme that a prompt asks for; null where its question is of no known form."""
    match = re.search(r"^Question\n(.+)$", text, re.MULTILINE)
    return parse_question(match[1]) if match else None


def read_decimals(text: str) -> int:
    """The decimals that a prompt asks for; 0 where it asks for none."""
    match = re.search(r"with (\d) decimals", text)
    return int(match[1]) if match else 0


def readable(steps: Sequence[Mapping[str, Any]]) -> list[str]:
    """The steps as sentences."""
    found = []
    for step in steps:
        what, value = step["quantity"], f"{step['value']} {step['unit'] or ''}".strip()
        found.append(
            {
                "find": f"Find {step['doc_id']} ({what}).",
                "read": f"Read in {step['doc_id']}: {what} = {value}.",
                "convert": f"Convert: {what} = {value}.",
                "compute": f"Compute: {what} = {value}.",
            }[step["kind"]]
        )
    return found


def _traps(
    programme: Programme,
    planted: Planted,
    parts: Sequence[Computed],
    decimals: int,
    gold: str,
    wanted: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """Of each trap the answer of somebody who falls into it, with its label; null where it finds nothing."""
    found: list[dict[str, Any]] = []
    for fault in FAULTS:
        is_planted = fault in planted.traps
        if not is_planted and fault not in ("missing_hop", "aggregation", "rounding"):
            continue
        answer: str | None
        if fault == "rounding":
            answer = rounded(parts, decimals, cut=True)
        else:
            try:
                answer = rounded(programme.run(planted.papers(), {fault})[0], decimals)
            except NotFound:
                answer = None
        if answer is not None and exact_match(gold, answer, wanted):
            if is_planted:
                raise Rejected(f"the trap {fault} leads to the right answer")
            continue
        found.append({"answer": answer, "label": fault})
    return found


def _read_documents(programme: Programme, planted: Planted, decimals: int, gold: str) -> dict[str, list[str]]:
    """`x_docs`: documents without which the answer is another; `x_docs_read`: those that change nothing."""
    needed: list[str] = []
    read: list[str] = []
    for paper in by_id([*planted.sources, *planted.notes]):
        rest = [other for other in planted.papers() if other is not paper]
        try:
            same = rounded(programme.run(rest)[0], decimals) == gold
        except NotFound:
            same = False
        (read if same else needed).append(paper.doc_id)
    return {"x_docs": needed, "x_docs_read": read}


def _check_answer(row: Mapping[str, Any], parts: Sequence[Computed], decimals: int) -> None:
    """Rules about the answer alone: margin, traps that tell from each other, nothing in the prompt."""
    for _, value, _ in parts:
        if isinstance(value, Fraction):
            scaled = abs(value) * 10**decimals
            if abs(scaled - int(scaled) - Fraction(1, 2)) < Fraction(1, 10) and scaled != int(scaled):
                raise Rejected("the answer is near a rounding boundary")
    answers = [trap["answer"] for trap in row["x_traps"] if trap["answer"] is not None]
    if len(answers) < 2:
        raise Rejected("fewer than two traps")
    if len(set(answers)) < len(answers):
        raise Rejected("two traps have the same answer")
    if len(row["x_docs"]) + len(row["x_docs_read"]) != DOCUMENTS[row["x_level"]]:
        raise Rejected("the number of documents")
    gold = row["answer"]
    if row["x_response"][0]["kind"] == "number" and any(
        re.search(rf"(?<![\d.]){re.escape(part)}(?![\d]|\.\d)", row["question"]) for part in gold.split(", ")
    ):
        raise Rejected("the answer is in the prompt")


def corpus(row: Mapping[str, Any]) -> list[Paper]:
    """The papers of an item."""
    return [from_json(found) for found in row["x_corpus"]]


def validate(row: Mapping[str, Any]) -> None:
    """Check what an item promises of its whole literature; `Rejected` names the rule that it breaks.

    The programme that the question asks for, run on the documents, gives answer and steps; each trap gives
    its own answer.
    """
    programme, papers = asked(row), corpus(row)
    decimals = row["x_response"][0]["decimals"] or 0
    try:
        parts, trail = programme.run(papers)
    except NotFound as missing:
        raise Rejected(f"the documents do not answer: {missing}") from missing
    if rounded(parts, decimals) != row["answer"]:
        raise Rejected("the documents give another answer")
    if trail.steps != row["x_steps"]:
        raise Rejected("the documents give other steps")
    for trap in row["x_traps"]:
        if (
            trap["label"] != "rounding"
            and fallen(programme, papers, {trap["label"]}, decimals) != trap["answer"]
        ):
            raise Rejected(f"the trap {trap['label']} leads elsewhere")


def fallen(
    programme: Programme, papers: Sequence[Paper], faults: Collection[Fault], decimals: int
) -> str | None:
    """The answer of somebody who falls into these traps; null where nothing is found."""
    try:
        parts, _ = programme.run(papers, faults)
    except NotFound:
        return None
    return rounded(parts, decimals, cut="rounding" in faults)


def verify_frozen(row: Mapping[str, Any]) -> None:
    """Check what can be checked of an item without its literature; `Rejected` names the rule."""
    asked(row)
    if row["steps"] != readable(row["x_steps"]):
        raise Rejected("the steps are not those of x_steps")
    for trap in row["x_traps"]:
        if trap["label"] not in FAULTS:
            raise Rejected(f"the trap {trap['label']} is unknown")
        if trap["answer"] is not None and exact_match(row["answer"], trap["answer"], row["x_response"]):
            raise Rejected(f"the trap {trap['label']} is the right answer")


def reply(steps: Sequence[Mapping[str, Any]], answer: str) -> str:
    """A reply in the form that is asked for; steps as in `x_steps`."""
    records = [
        {
            "kind": step["kind"],
            "claim": step["quantity"],
            "value": step["value"],
            "unit": step["unit"],
            "source": step["doc_id"],
        }
        for step in steps
    ]
    return f"{json.dumps({'steps': records}, ensure_ascii=False)}\n<answer>{answer}</answer>"


def solve(row: Mapping[str, Any]) -> str:
    """The reply that is right."""
    return reply(row["x_steps"], row["answer"])
