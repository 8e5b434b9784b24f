"""The documents of an invented literature, rendered from its studies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.numbers.rng import Stream, stream
from assay.suites.sgi.literature.bank import Law, form_of, kinds, laws, say, sentences
from assay.suites.sgi.literature.world import rounded

World = Mapping[str, Any]
Document = dict[str, Any]

JOURNALS = ("Annals", "Archive", "Journal", "Letters", "Proceedings", "Reports", "Transactions")
OTHERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 4}
"""By level the specimens of which the literature treats beside the one that is asked about."""


def documents(world: World, others: Sequence[World], key: int) -> list[Document]:
    """All documents with their ids, those of the world and of other specimens mixed.

    Args:
        world: the studies that are asked about.
        others: studies of the same quantity of other specimens.
        key: of the random numbers of texts and order.
    """
    chance = stream(key, "documents")
    law, name = laws()[world["law"]], world["law"]
    rules = _rules(name, law, world["bridge"], chance.child("rules"))
    found = [*rules]
    for place, every in enumerate((world, *others)):
        for at, study in enumerate(every["studies"]):
            found += _of_study(every, law, study, place, at)
    for at, document in enumerate(found):
        more = chance.child("head", at)
        document.setdefault("year", 1985 + more.below(38))
        document["venue"] = f"{more.choice(JOURNALS)} of the Society {1 + more.below(60)}"
    order = list(range(1, len(found) + 1))
    chance.shuffle(order)
    for number, document in zip(order, found, strict=True):
        document["doc_id"] = f"D{number:04d}"
    return sorted(found, key=lambda document: str(document["doc_id"]))


def _rules(name: str, law: Law, bridge: float, chance: Stream) -> list[Document]:
    standard, method = sentences()["standard"], sentences()["bridge"]
    first, second, third = law.definitions
    fields = {
        "quantity": name,
        "moderator": law.moderator[0],
        "definition": first,
        "scale": standard[law.scale],
        "relative": standard["relative"] if law.logarithmic else "",
    }
    roads = {
        "quantity": name,
        "first": first,
        "second": second,
        "third": third,
        "bridge": amount(law, bridge),
    }
    return [
        {"title": say(chance, standard["title"], fields), "text": standard["text"].format(**fields)},
        {"title": say(chance, method["title"], roads), "text": say(chance, method["text"], roads)},
    ]


def amount(law: Law, value: float) -> str:
    """How much more a reading is: a factor on logarithmic scales, else a difference in the first unit."""
    return f"a factor of {value:g}" if law.logarithmic else f"{value:g} {law.units[0][0]}"


def condition(law: Law, x: float) -> str:
    """A condition in words."""
    article = "an" if law.moderator[0][0] in "aeiou" else "a"
    return f"{article} {law.moderator[0]} of {x:g} {law.moderator[1]}"


def cited(study: Mapping[str, Any]) -> str:
    """How other papers name a study."""
    return f"{study['people']} ({study['year']})"


def fields_of(world: World, law: Law, study: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What sentences about a decision may say."""
    trap = study["traps"].get(name, {})
    kind = name.split(" ")[0]
    unit, error = law.units[study["unit"]][0], study["error"]
    others = [_value(law, text, error, unit) for text in trap.get("others", ("", ""))]
    definition = "plain" if kind != "definition" else trap["right"]
    twin = next((one for one in world["studies"] if one.get("twin") == name), None)
    return {
        **trap,
        "entity": world["entity"],
        "quantity": world["law"],
        "moderator": law.moderator[0],
        "people": study["people"],
        "year": study["year"],
        "study": cited(study),
        "study2": "" if twin is None else cited(twin),
        "title": f"{world['law']} of {world['entity']}",
        "n": study["n"],
        "unit": unit,
        "condition": condition(law, study["x"]),
        "definition": law.definitions[kinds()["definition"].values.index(definition)],
        "alternative": others[0],
        "alternative2": others[1],
        "amount": amount(law, trap.get("amount", 1.0)),
        "dial": f"{trap.get('dial', 0.0):g} {law.moderator[1]}",
        **_offsets(law, trap.get("offsets", (0.0, 0.0))),
    }


def _offsets(law: Law, offsets: Sequence[float]) -> dict[str, str]:
    return {
        name: f"{value:g} {law.moderator[1]}"
        for name, value in zip(("jacket", "outer"), offsets, strict=True)
    }


def _value(law: Law, text: str, error: str, unit: str) -> str:
    """A value with its uncertainty and unit, as it is printed."""
    return (
        f"{text} {unit} ± {error}".replace("  ", " ")
        if law.logarithmic
        else f"{text} ± {error} {unit}".strip()
    )


def _of_study(world: World, law: Law, study: Mapping[str, Any], place: int, at: int) -> list[Document]:
    """The paper of a study, where there is one, and what others say of it."""
    chance = stream(study["key"], "text", place, at)
    names = list(study["traps"])
    plan = any(name.startswith("registered") for name in names)
    found = [] if plan else [_paper(world, law, study, names, chance)]
    for name in names:
        trap, kind = study["traps"][name], kinds()[name.split(" ")[0]]
        fields = fields_of(world, law, study, name)
        for number, (title, text) in enumerate(form_of(kind.notes, trap["right"]) or ()):
            note: Document = {"title": say(chance, title, fields), "text": say(chance, text, fields)}
            if name.startswith("version") and number == 0:
                note |= {"authors": study["people"], "year": study["year"] - 1, "study": f"{at} preprint"}
            if plan:
                note |= {"authors": study["people"], "year": study["year"], "study": str(at)}
            found.append(note if place == 0 else {k: v for k, v in note.items() if k != "study"})
    return found


def _paper(
    world: World, law: Law, study: Mapping[str, Any], names: Iterable[str], chance: Stream
) -> Document:
    plain, traps = sentences()["plain"], study["traps"]
    said, unit, name = [], law.units[study["unit"]][0], world["entity"]
    x = condition(law, study["x"])
    for trap in names:
        kind = trap.split(" ")[0]
        fields = fields_of(world, law, study, trap)
        form = form_of(kinds()[kind].study, traps[trap]["right"])
        if form is not None:
            said.append(say(chance, form, fields))
        unit = "" if kind == "unit" else unit
        name = traps[trap]["old"] if kind == "alias" else name
        x = f"the {law.moderator[0]} set" if kind == "condition" else x
    if "twin" in study:
        owner = next(one for one in world["studies"] if study["twin"] in one["traps"])
        fields = fields_of(world, law, owner, study["twin"])
        form = kinds()["cohort"].study["any"]
        said.append(say(chance, form, {**fields, "series": fields["series2"]}))
    if not any(trap.startswith("spread") for trap in traps):
        said.append(say(chance, plain["spread"], {}))
    said += [say(chance, plain["filler"], {}) for _ in range(1 + chance.below(3))]
    chance.shuffle(said)
    fields = {
        "quantity": world["law"],
        "name": name,
        "moderator": law.moderator[0],
        "condition": x,
        "n": study["n"],
        "value": _value(law, study["value"], study["error"], unit),
    }
    # A reading that leaves `n` out is drawn again, since the standard error may follow from it.
    report = say(chance, plain["report"], fields)
    while f"{study['n']}" not in report.rpartition(fields["value"])[2]:
        report = say(chance, plain["report"], fields)
    cut = chance.below(len(said) + 1)
    return {
        "title": f"{world['law'].capitalize()} of {name}",
        "authors": study["people"],
        "year": study["year"],
        "text": " ".join([say(chance, plain["opening"], fields), *said[:cut], report, *said[cut:]]),
        **({"study": str(world["studies"].index(study))} if world.get("asked") else {}),
    }


def sources(found: Sequence[Document]) -> dict[str, str]:
    """Of each report the document that has it."""
    return {str(document["study"]): str(document["doc_id"]) for document in found if "study" in document}


def to_lines(found: Sequence[Document]) -> bytes:
    """The documents as agents may read them, JSON, one a line."""
    shown = [{key: value for key, value in one.items() if key != "study"} for one in found]
    return "".join(json.dumps(one, sort_keys=True, ensure_ascii=False) + "\n" for one in shown).encode()


def sheet(world: World, given: Mapping[str, str]) -> list[str]:
    """What the desk has settled: one line a decision that is given away."""
    law, lines = laws()[world["law"]], []
    for name in given:
        study = world["studies"][world["decisions"][name]]
        form = form_of(kinds()[name.split(" ")[0]].sheet, given[name])
        lines.append(form.format(**fields_of(world, law, study, name)))
    return lines


def significant(value: float, error: float) -> int:
    """Digits of a number that its tolerance can tell apart, four at least."""
    digits, unit = 4, abs(value) or 1.0
    while unit * 10.0 ** (1 - digits) > 0.5 * error and digits < 9:
        digits += 1
    return digits


__all__ = ["cited", "condition", "documents", "rounded", "sheet", "significant", "sources", "to_lines"]
