"""The tools of an agent: purpose, arguments and the page of the manual of each (`data/manual.yaml`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from assay import canonical
from assay.protocol import Tool
from assay.suites.collider.formats import documents
from assay.suites.collider.generators.registry import GENERATORS
from assay.suites.collider.problems import orders, sets

DATA_FILES = (
    "../data/manual.yaml",
    "../data/chain_manual.txt",
    "../data/objects_manual.txt",
    "../data/chain_parameters.yaml",
)

_MANUAL: Mapping[str, Any] = documents.packaged("manual.yaml")

WRITABLE: tuple[str, ...] = tuple(_MANUAL["writable"])
"""Places where `write_file` may write. They exclude `data/`, which only tools and analyses write."""


def _tool(name: str, entry: Mapping[str, Any]) -> Tool:
    arguments = entry.get("arguments", {})
    schema = {
        "type": "object",
        "properties": arguments,
        "required": entry.get("required", list(arguments)),
        "additionalProperties": False,
    }
    more = {key: entry[key] for key in ("replay", "counter") if key in entry}
    return Tool(name, schema, entry["doc"].replace("{writable}", ", ".join(WRITABLE)), **more)


EVERYWHERE = tuple(_tool(name, entry) for name, entry in _MANUAL["tools"].items())
GENERATE = _tool("generate", _MANUAL["generate"])


def _generate_many() -> Tool:
    properties = GENERATE.schema["properties"]
    events = {**properties["events"], "maximum": _MANUAL["most-events-of-the-chain"]}
    return replace(GENERATE, schema={**GENERATE.schema, "properties": {**properties, "events": events}})


GENERATE_MANY = _generate_many()
"""The tool `generate` in the tasks of the physics chain, which allows more events."""

_CARDS = " ".join(f"{name}: {generator.card_doc}." for name, generator in GENERATORS.items())


READ_EVENTS = _tool("read_events", _MANUAL["read_events"])


def tools(generator: str | None, without: Sequence[str] = ()) -> tuple[Tool, ...]:
    """Return the tools of a task.

    Args:
        generator: the generator of its set (`sets.CHAIN`, `sets.OBJECTS`, `sets.MOCK` or None).
        without: names of tools that are taken away.
    """
    of_generator: Mapping[str | None, tuple[Tool, ...]] = {
        None: (),
        sets.MOCK: (GENERATE,),
        sets.CHAIN: (GENERATE_MANY,),
        sets.OBJECTS: (GENERATE, READ_EVENTS),
    }
    offered = (*EVERYWHERE, *of_generator[generator])
    return tuple(tool for tool in offered if tool.name not in without)


def page(tool: Tool) -> str:
    """Return the page of one tool: its purpose and its arguments."""
    entry = _MANUAL["tools"].get(tool.name) or _MANUAL[tool.name]
    text = entry.get("page", tool.doc).replace("{generators}", _CARDS)
    return f"{tool.name}: {tool.doc}\n\n{text}\n\narguments (JSON schema): {dict(tool.schema)}"


def chain_page(paper: str, level: str = sets.CHAIN) -> str:
    """Return the page of `generate` for tasks of a paper that the physics chain has at that level."""
    from assay.suites.collider.chain import filters, records, samples

    meanings = samples.meanings(paper, level)
    shared = {
        "generator": orders.generator_name(paper, level),
        "filters": "; ".join(f"{name}: {_conditions(wanted)}" for name, wanted in filters.FILTERS.items()),
    }
    if level == sets.OBJECTS:
        text = documents.packaged_text("objects_manual.txt").format(
            **shared,
            event="".join(f"- {name}: {meanings[name]}\n" for name in list(meanings)[: records.OF_EVENT]),
            kinds="".join(_kind(name, entry) for name, entry in records.KINDS.items()),
            schema=dict(GENERATE.schema),
        )
    else:
        text = documents.packaged_text("chain_manual.txt").format(
            **shared,
            columns=", ".join(samples.header(paper)),
            variables="".join(f"- {name}: {meaning}\n" for name, meaning in meanings.items()),
            schema=dict(GENERATE_MANY.schema),
        )
    return text.removesuffix("\n")


def _kind(name: str, entry: Mapping[str, Any]) -> str:
    """Return the line on one kind of candidate, with its columns."""
    fields = "; ".join(f"{name}N_{field}: {meaning}" for field, meaning in entry["fields"].items())
    return f"- N from 1 to {entry['places']}: {fields}\n"


def photon_efficiencies() -> str:
    """Return the published efficiencies of photons, as a file of the workspace at the level of objects."""
    photons = documents.packaged("chain_parameters.yaml")["parameters"]["photons"]
    named = {
        "et_edges": "et edges",
        "abs_eta_edges": "eta edges",
        "efficiency": "efficiency",
    }
    table: dict[str, Any] = {name: photons[key]["value"] for name, key in named.items()}
    table["note"] = (
        "identification, isolation and pixel veto of photons with less than half of their pT around them "
        "(iso); rows are bins of abs(eta), columns bins of E_T in GeV from et_edges on, the last one open"
    )
    return canonical.dumps(table) + "\n"


def _conditions(wanted: Any) -> str:
    """Return the conditions of a filter as name = value, without those at their default."""
    asked = {f.name: getattr(wanted, f.name) for f in fields(wanted) if getattr(wanted, f.name) != f.default}
    return ", ".join(f"{name} = {value:g}" for name, value in asked.items()) or "nothing"


def reference(tools: tuple[Tool, ...]) -> str:
    """Return the text of TOOLS.md: one line for each tool."""
    return "# Tools\n\n" + "".join(f"- `{tool.name}`: {tool.doc}\n" for tool in tools)
