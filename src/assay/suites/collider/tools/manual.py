"""The tools of an agent: purpose, arguments and the page of the manual of each (`data/manual.yaml`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from assay.protocol import Tool
from assay.suites.collider.formats import documents
from assay.suites.collider.generators.registry import GENERATORS
from assay.suites.collider.problems import orders, sets

DATA_FILES = ("../data/manual.yaml", "../data/chain_manual.txt")

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


def tools(generator: str | None) -> tuple[Tool, ...]:
    """Return the tools of a task whose set has that generator (`sets.CHAIN`, `sets.MOCK` or None)."""
    if generator is None:
        return EVERYWHERE
    return (*EVERYWHERE, GENERATE_MANY if generator == sets.CHAIN else GENERATE)


def page(tool: Tool) -> str:
    """Return the page of one tool: its purpose and its arguments."""
    entry = _MANUAL["tools"].get(tool.name, _MANUAL["generate"])
    text = entry.get("page", tool.doc).replace("{generators}", _CARDS)
    return f"{tool.name}: {tool.doc}\n\n{text}\n\narguments (JSON schema): {dict(tool.schema)}"


def chain_page(paper: str) -> str:
    """Return the page of `generate` for tasks of a paper that the physics chain has."""
    from assay.suites.collider.chain import filters, samples
    from assay.suites.collider.chain.searches.registry import SEARCHES

    search = SEARCHES[paper]
    text = documents.packaged_text("chain_manual.txt").format(
        generator=orders.generator_name(paper),
        columns=", ".join(samples.header(search)),
        variables="".join(f"- {name}: {meaning}\n" for name, meaning in search.variables.items()),
        filters="; ".join(f"{name}: {_conditions(wanted)}" for name, wanted in filters.FILTERS.items()),
        schema=dict(GENERATE_MANY.schema),
    )
    return text.removesuffix("\n")


def _conditions(wanted: Any) -> str:
    """Return the conditions of a filter as name = value, without those at their default."""
    asked = {f.name: getattr(wanted, f.name) for f in fields(wanted) if getattr(wanted, f.name) != f.default}
    return ", ".join(f"{name} = {value:g}" for name, value in asked.items()) or "nothing"


def reference(tools: tuple[Tool, ...]) -> str:
    """Return the text of TOOLS.md: one line for each tool."""
    return "# Tools\n\n" + "".join(f"- `{tool.name}`: {tool.doc}\n" for tool in tools)
