"""The prompt of a wet item: what is wanted, the manual, stocks, measurements, batch sheet, actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from assay.config import yaml
from assay.numbers.rng import Stream
from assay.suites.sgi.bench.actions import ACTIONS, HARMFUL
from assay.suites.sgi.bench.evidence import READER_ROWS, TABLES, tables_of
from assay.suites.sgi.bench.world import STANDARD_STOCK, bank

CONTRACT = "one call a step: out_1 = <Action>(key=value, ...)"


@cache
def manual() -> Mapping[str, Any]:
    """The file `manual.yaml`."""
    found: Mapping[str, Any] = yaml.read(Path(__file__).with_name("manual.yaml"))
    return found


def question(
    world: Mapping[str, Any],
    data: Mapping[str, Sequence[float]],
    limits: Mapping[str, float],
    given: Mapping[str, Any],
    skin: Mapping[str, str],
    stream: Stream,
) -> str:
    """The whole prompt but the pool of actions."""
    texts = manual()
    fill = {
        **{name: skin[name] for name in ("catalyst", "substrate", "product", "batch")},
        "count": texts["count"][len(world["samples"])],
        "minutes": limits["minutes"],
        "cost": limits["cost"],
        "ramp": world["ramp"],
        "hold": world["hold"],
        "density_a": world["density"]["a"],
        "density_b": world["density"]["b"],
    }
    modules = ["general", "reaction", *world["react"].split("-"), world["separate"], world["assay"], "end"]
    lead = [_capital(stream.choice(texts[part]).format(**fill)) for part in ("intro", "judged")]
    stream.shuffle(lead)
    paragraphs = [*lead, texts["form"]]
    rules = [stream.choice(forms) for module in modules for forms in texts["rules"][module]]
    stream.shuffle(rules)
    paragraphs += [rule.format(**fill) for rule in rules]
    paragraphs.append("\n".join(action_notes(world)))
    paragraphs += [stocks_text(world, data["stocks"])]
    tables = [table_text(world, name, data[name], stream) for name in tables_of(world)] + [
        reader_text(world, data)
    ]
    stream.shuffle(tables)
    paragraphs += tables
    if given:
        names = list(given)
        stream.shuffle(names)
        lines = [f"- {texts['sheet'][name]}: {given[name]}" for name in names]
        paragraphs.append("\n".join([stream.choice(texts["sheet_head"]), *lines]))
    return "\n\n".join(paragraphs)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def action_notes(world: Mapping[str, Any]) -> list[str]:
    """What an agent must know of the parameters of actions."""
    notes = manual()["actions"]
    split = {name: notes[name].partition(": ")[2] for name in ACTIONS if name in USED[world["separate"]]}
    return [f"- {name}: {note}." for name, note in split.items() if note]


def pool(world: Mapping[str, Any], stream: Stream) -> str:
    """The actions, needed ones and those that only harm, in random order."""
    texts = manual()
    names = [name for name in ACTIONS if name in USED[world["separate"]]]
    lines = [f"<{name}>{texts['actions'][name].partition(': ')[0]}" for name in names]
    lines += [f"<{name}>{texts['harmful']}" for name in stream.sample(HARMFUL, 3 + stream.below(6))]
    stream.shuffle(lines)
    return "\n".join(lines)


_ALWAYS = {
    "New Vessel",
    "Set Device",
    "Transfer",
    "Mix",
    "Incubate",
    "Wait",
    "Adjust pH",
    "Read",
    "Quantify",
    "Submit",
    "Declare Control",
}
USED: Mapping[str, set[str]] = {
    "column": _ALWAYS | {"Spin"},
    "extraction": _ALWAYS | {"Take Layer"},
    "precipitation": _ALWAYS | {"Spin", "Decant", "Rinse Pellet", "Dissolve"},
}
"""The actions that an item offers, by its separation."""


def stock_numbers(world: Mapping[str, Any]) -> list[float]:
    """The numbers of the tables of samples and stocks that are measured, without scatter."""
    numbers = [value for inside in world["samples"].values() for value in inside.values()]
    return [*numbers, world["enzyme"], world["metal"], world["quencher"]]


def stocks_text(world: Mapping[str, Any], numbers: Sequence[float]) -> str:
    """The tables of samples and stocks."""
    rows = iter(numbers)
    lines = ["Samples | substrate (mM) | inhibitor (mM) | chelator (mM) | colour (mM) | volume (uL)"]
    for name in world["samples"]:
        lines.append(
            " | ".join([name, *(f"{next(rows):g}" for _ in range(4)), f"{world['sample_amount']:g}"])
        )
    enzyme, metal, quencher = rows
    price = bank()["per_microlitre"]
    lines.append("\nStocks | content | price (1/uL) | volume (uL)")
    contents = {
        "buffer": "pH 7",
        "matrix": "pH 7, like the samples without what is dissolved in them",
        "enzyme": f"catalyst, {enzyme:g} U/uL",
        "metal": f"metal, {metal:g} mM",
        "quencher": f"quencher, {quencher:g} mM",
        "standard": f"labelled product, {STANDARD_STOCK:g} mM",
    }
    amounts = {"enzyme": "2000", "metal": "2000", "quencher": "2000", "standard": "400"}
    for name in stock_names(world):
        lines.append(f"{name} | {contents.get(name, name)} | {price[name]:g} | {amounts.get(name, 'plenty')}")
    return "\n".join(lines)


def stock_names(world: Mapping[str, Any]) -> list[str]:
    """The stocks of a world, in the order of the price list."""
    separate = {
        "column": ("binding buffer", "washing buffer", "eluting buffer"),
        "extraction": ("solvent A", "solvent B"),
        "precipitation": ("antisolvent",),
    }[world["separate"]]
    metal = ("metal",) if "metal" in world["react"] else ()
    wanted = {"buffer", "matrix", "enzyme", "quencher", "standard", *separate, *metal}
    return [name for name in bank()["per_microlitre"] if name in wanted]


def table_text(world: Mapping[str, Any], name: str, numbers: Sequence[float], stream: Stream) -> str:
    """A table of measurements with its title."""
    texts = manual()
    table = TABLES[name]
    both = ("; 1 mM free metal" if "metal" in world["react"] else "") + (
        "; pH 6.5" if "ph" in world["react"] else ""
    )
    title = stream.choice(texts["titles"][name]).format(
        at=both, metal=", 1 mM free metal" if "metal" in world["react"] else ""
    )
    words = texts["words"].get(name)
    lines = [title, " | ".join(table.columns)]
    rows = table.rows(world)
    if name in ("binding", "solubility"):  # two measured columns: the last value of a row tells which
        half = len(rows) // 2
        for at in range(half):
            cells = [f"{value:g}" for value in rows[at][:-1]] + [
                f"{numbers[at]:g}",
                f"{numbers[at + half]:g}",
            ]
            lines.append(" | ".join(cells))
        return "\n".join(lines)
    for row, number in zip(rows, numbers, strict=True):
        cells = [words[int(row[0])] if words else _cell(name, at, value) for at, value in enumerate(row)]
        lines.append(" | ".join([*cells, f"{number:g}"]))
    return "\n".join(lines)


def _cell(name: str, at: int, value: float) -> str:
    return "AB"[int(value)] if name == "partition" and at == 1 else f"{value:g}"


def reader_text(world: Mapping[str, Any], data: Mapping[str, Sequence[float]]) -> str:
    """The table of the reader."""
    names = list(world["eps"])
    lines = [
        "Reader",
        " | ".join(["substance", "concentration (mM)", *(f"reading at {name}" for name in names)]),
    ]
    count = len(READER_ROWS)
    for at, (what, mm) in enumerate(READER_ROWS):
        lines.append(
            " | ".join([what, f"{mm:g}", *(f"{data['reader'][n * count + at]:g}" for n in range(len(names)))])
        )
    return "\n".join(lines)
