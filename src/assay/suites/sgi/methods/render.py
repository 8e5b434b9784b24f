"""The texts of an item: question, program with holes, data scripts, replies."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from assay.config import yaml
from assay.numbers.rng import Stream
from assay.suites.sgi.methods import compose, specialise
from assay.suites.sgi.methods.bank import Part, everything, options
from assay.suites.sgi.methods.compose import LINKS, Stage, parts_of

PART = re.compile(r"^Part `(\w+)`", re.MULTILINE)
STAGE = re.compile(r"^Stage (\d): `run_(\w+)`", re.MULTILINE)

Given = Mapping[str, Any]
"""Decisions that the prompt gives away, by their unique names."""

Records = Mapping[str, Sequence[Mapping[str, Any]]]
"""The records of each part."""


@cache
def words() -> Mapping[str, Any]:
    """The texts that all items share."""
    found: Mapping[str, Any] = yaml.read(Path(__file__).with_name("bank") / "texts.yaml")
    return found


def hole(stage: Stage) -> str:
    """The name of the function that an agent writes."""
    return f"run_{stage['model']}"


def question(stages: Sequence[Stage], layout: str, given: Given, known: Records, stream: Stream) -> str:
    """The whole task but for the scripts."""
    told = words()
    blocks = [told["opening"].strip()]
    for number, stage in enumerate(stages, 1):
        law, model, instrument = parts_of(stage)
        drivers = [source for source, target in LINKS[layout] if target == str(number)]
        sentence = told["driven"].format(drivers=" and ".join(drivers), link=model.entry.link)
        blocks.append(
            told["stage"]
            .format(
                number=number,
                hole=hole(stage),
                law=law.entry.title,
                target=model.entry.law,
                title=model.entry.title,
                outputs=model.entry.outputs,
                instrument=instrument.entry.title,
                driven=sentence if drivers else "",
            )
            .strip()
        )
        blocks += [_part(part, given, known[part.name], stream) for part in (law, model, instrument)]
    names = ", ".join(hole(stage) for stage in stages)
    blocks.append(
        told["closing"].format(names=names, relative=compose.RELATIVE, absolute=compose.ABSOLUTE).strip()
    )
    return "\n\n".join(blocks)


def _part(part: Part, given: Given, known: Sequence[Mapping[str, Any]], stream: Stream) -> str:
    lines = []
    for name in part.names():
        sentences = list(options(name).values())
        if name in given:
            lines.append(f"It is known that {options(name)[given[name]]}.")
        else:
            stream.child("order", name).shuffle(sentences)
            lines.append(f"It is not known whether {'; or whether '.join(sentences)}.")
    lines += ["Records of this part alone:", *(json.dumps(record) for record in known)]
    return f"Part `{part.name}`\n" + "\n".join(lines)


def read(text: str) -> tuple[list[Stage], dict[str, str], dict[str, list[dict[str, Any]]]]:
    """The stages, what is given, and the records of a prompt.

    Raises:
        ValueError: the text is no prompt of this family.
    """
    stages: list[Stage] = []
    given: dict[str, str] = {}
    known: dict[str, list[dict[str, Any]]] = {}
    for name, block in _blocks(text):
        part = everything()[name]
        for decision in part.names():
            for value, sentence in options(decision).items():
                if f"It is known that {sentence}." in block:
                    given[decision] = value
        known[name] = [json.loads(line) for line in block.splitlines() if line.startswith("{")]
    names = list(known)
    if not names or len(names) % 3:
        raise ValueError("no prompt of a dry experiment")
    for at in range(0, len(names), 3):
        stages.append(dict(zip(("law", "model", "instrument"), names[at : at + 3], strict=True)))
    return stages, given, known


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Each part's name and text."""
    found = list(PART.finditer(text))
    for at, match in enumerate(found):
        end = found[at + 1].start() if at + 1 < len(found) else len(text)
        if match[1] in everything():
            yield match[1], text[match.end() : end]


def program(stages: Sequence[Stage], layout: str, bodies: str = "") -> str:
    """The main script; without bodies its functions are holes."""
    told = words()
    holes = [told["hole"].format(hole=hole(stage), number=number) for number, stage in enumerate(stages, 1)]
    steps = []
    for number, stage in enumerate(stages, 1):
        link = everything()[stage["model"]].entry.link
        steps += [
            told["link"]
            .format(model=stage["model"], link=link, source=stages[int(source) - 1]["model"])
            .rstrip()
            for source, target in LINKS[layout]
            if target == str(number)
        ]
        steps.append(told["step"].format(model=stage["model"], hole=hole(stage)).rstrip())
    template: str = told["program"]
    return template.format(
        holes=bodies or "\n\n".join(each.rstrip() + "\n" for each in holes),
        steps="\n".join(f"    {line}" for line in steps),
        least=compose.LEAST_DRIVE,
        more=compose.MORE_DRIVE,
        half=compose.HALF_DRIVE,
    )


def data_script(data: Mapping[str, Any]) -> str:
    """A script that writes data/input.json."""
    return str(words()["data"]).format(data=json.dumps(data, indent=1, sort_keys=True))


def functions(stages: Sequence[Stage], choices: Mapping[str, Any]) -> str:
    """The functions that fill the holes, as somebody writes them who decides as `choices` say.

    Each holds what it calls, since the released code drops all but the functions that fill holes.
    """
    method = str(choices.get("method", "right"))
    return "\n\n\n".join(_function(stage, choices, method) for stage in stages)


def _function(stage: Stage, choices: Mapping[str, Any], method: str) -> str:
    sources = [specialise.source(part, part.picks(choices, method)) for part in parts_of(stage)]
    inner = "\n\n".join([*specialise.shared(sources, method), *sources])
    top: str = words()["top"]
    return top.format(
        hole=hole(stage),
        target=everything()[stage["model"]].entry.law,
        inner=textwrap.indent(inner, "    "),
        **stage,
    ).rstrip()


def reply(code: str) -> str:
    """A reply that holds this code."""
    return f"<answer>\n```python\n{code}\n```\n</answer>"
