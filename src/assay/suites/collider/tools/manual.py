"""The tools of an agent: what each is for, what it takes, and its page of the manual."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from assay.protocol import Tool
from assay.suites.collider.generators.registry import GENERATORS
from assay.suites.collider.problems import sets

LARGEST_TEXT = 65_536
"""Characters of a file that an agent writes."""

MOST_EVENTS_A_CALL = 10_000

MOST_EVENTS_OF_THE_CHAIN = 100_000
"""Beyond, the file of a sample would be too large to keep."""

WRITABLE = ("analysis/", "results/", "sims/", "report.md", "datasets.yaml")
"""Where `write_file` writes. `data/` holds what tools and analyses made, and nothing else."""


def _arguments(required: Mapping[str, Any], optional: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def _with_most(schema: Mapping[str, Any], events: int) -> dict[str, Any]:
    """The schema of `generate` with another most of events."""
    properties = schema["properties"]
    return {**schema, "properties": {**properties, "events": {**properties["events"], "maximum": events}}}


_PATH = {
    "type": "string",
    "maxLength": 200,
    "description": "a path in the workspace, e.g. analysis/analysis.py",
}

MANUAL = Tool(
    "manual",
    _arguments({"tool": {"type": "string", "maxLength": 40, "description": "the name of a tool"}}),
    "The page of the manual of one tool (what --doc prints on a command line).",
)
READ = Tool("read_file", _arguments({"path": _PATH}), "The content of a text file of the workspace.")
LIST = Tool("list_files", _arguments({}), "The files of the workspace with their sizes in bytes.")
WRITE = Tool(
    "write_file",
    _arguments({"path": _PATH, "text": {"type": "string", "maxLength": LARGEST_TEXT}}),
    f"Write a text file. Legal places: {', '.join(WRITABLE)}.",
)
CROSS_SECTION = Tool(
    "cross_section",
    _arguments(
        {
            "process": {"type": "string", "maxLength": 40, "description": "e.g. gluino-pair"},
            "mass": {"type": "number", "description": "in GeV"},
        }
    ),
    "A signal cross section at 13 TeV in fb, from kept tables; says which there are where one is not.",
)
HEPDATA = Tool(
    "hepdata",
    _arguments(
        {"action": {"type": "string", "enum": ["find", "tables", "get"]}},
        {
            "record": {"type": "string", "maxLength": 100, "description": "an arXiv number or INSPIRE id"},
            "table": {"type": "string", "maxLength": 200, "description": "the name of a table"},
        },
    ),
    "Look up records in a local mirror of HEPData: find, tables RECORD, get RECORD TABLE.",
    replay="given",
)
UFO = Tool(
    "ufo",
    _arguments({}, {"search": {"type": "string", "maxLength": 100, "description": "part of a name"}}),
    "The UFO models in a local mirror.",
    replay="given",
)
PAPER = Tool(
    "read_paper",
    _arguments({}, {"part": {"type": "integer", "minimum": 0, "maximum": 10_000}}),
    "The text of the task's paper, 20000 characters a part, where the user of the benchmark supplies it.",
    replay="given",
)
SIMULATORS = Tool(
    "simulate",
    _arguments({}),
    "Which simulation programs (MadGraph, Delphes, ...) are installed beside the generators of `generate`.",
    replay="given",
)
GENERATE = Tool(
    "generate",
    _arguments(
        {
            "name": {"type": "string", "pattern": "^[a-z0-9_]{1,40}$", "description": "of the sample"},
            "card": {"type": "object", "description": "what to generate; see the manual"},
            "seed": {"type": "integer", "minimum": 0, "maximum": 2**53 - 1},
            "events": {"type": "integer", "minimum": 1, "maximum": MOST_EVENTS_A_CALL},
        }
    ),
    "Generate events of a signal point: writes sims/NAME.json (the card) and data/NAME.csv (the events).",
    counter="event",
)
GENERATE_MANY = replace(GENERATE, schema=_with_most(GENERATE.schema, MOST_EVENTS_OF_THE_CHAIN))
ANALYSE = Tool(
    "run_analysis",
    _arguments(
        {
            "script": _PATH,
            "inputs": {
                "type": "array",
                "items": {"type": "string", "maxLength": 200},
                "maxItems": 20,
                "description": "files of the workspace that the script reads",
            },
        }
    ),
    "Run a Python script of the workspace in a sandbox. What it writes below data/ and results/ is kept.",
    replay="given",
)
CHECK = Tool(
    "check_submission",
    _arguments({}),
    "Whether the submission is valid, and else why not. It says nothing about how good it is.",
)
FINISH = Tool("finish", _arguments({}), "Submit what lies in results/ and end the episode.")

EVERYWHERE = (
    MANUAL,
    READ,
    LIST,
    WRITE,
    CROSS_SECTION,
    HEPDATA,
    UFO,
    PAPER,
    SIMULATORS,
    ANALYSE,
    CHECK,
    FINISH,
)

PAGES: Mapping[str, str] = {
    "cross_section": (
        "cross_section process mass -> {xsec_fb, relative_error, xsec_fb_nnlo_approx, states, source}. "
        "`relative_error` is that of scale and PDF, null where none is kept. Multiply by luminosity, "
        "branching fraction and filter efficiency, and divide by the generated events, to get a weight."
    ),
    "generate": (
        "generate name card seed events. "
        + " ".join(f"{name}: {generator.card_doc}." for name, generator in GENERATORS.items())
        + " The same card, seed and number give the same events. One event draws one from the budget `event`."
    ),
    "run_analysis": (
        "run_analysis script inputs. The script runs in a folder of its own, which holds the inputs and "
        "the template under their paths; numpy is there, the network is not. Write the selected events to "
        "data/NAME.csv with the columns event_id, weight, selected (0 or 1) and the observable in small "
        "letters, and data/NAME.json with series, sample (the path of the generated events), n_generated, "
        "xsec_fb, lumi_fb, br and filter_eff; then fill in the histogram in results/. It ends with what it "
        "printed."
    ),
    "hepdata": (
        "hepdata find: the records of the mirror. hepdata tables RECORD: names and descriptions. hepdata "
        "get RECORD TABLE: a table. Metadata may be used; yields may not be copied, and tables of signal "
        "yields are withheld."
    ),
}
"""Longer pages; a tool without one has its description."""


def tools(generator: str | None) -> tuple[Tool, ...]:
    """The tools of a task whose set has that generator, or none."""
    if generator is None:
        return EVERYWHERE
    return (*EVERYWHERE, GENERATE_MANY if generator == sets.CHAIN else GENERATE)


def chain_page(paper: str) -> str:
    """The page of `generate` for tasks of a paper that the physics chain has."""
    from assay.suites.collider.chain import filters, samples
    from assay.suites.collider.chain.searches import registry as searches
    from assay.suites.collider.chain.signal.wanted import name_of

    known = searches.SEARCHES[paper]
    asks = "; ".join(f"{name}: {_told(wanted)}" for name, wanted in filters.FILTERS.items())
    return (
        f'generate name card seed events. A card is {{"generator": "{name_of(paper)}", "point": '
        '"MODEL_MASS_MASS" (as the signal benchmark is called), "filter": "NAME"}. Hard processes '
        "are made and decayed, filtered, showered, measured by a parametric detector and reconstructed. "
        f"A line of data/NAME.csv has {', '.join(samples.header(known))}.\n\n"
        + "".join(f"- {name}: {text}\n" for name, text in known.variables.items())
        + "- drawn: hard processes that were drawn for the event; generated events over the sum of drawn is "
        f"the efficiency of the filter\n\nFilters, each with the least it asks of a hard process: {asks}.\n\n"
        "A Z decays to electrons and muons alone where the model has one, and br is then the share of these "
        "decays. The same card, seed and number give the same events. One event draws one from the budget "
        f"`event`.\n\narguments (JSON schema): {dict(GENERATE_MANY.schema)}"
    )


def _told(wanted: Any) -> str:
    """What a filter asks, as name = value; what it leaves at its default is left out."""
    given = {f.name: getattr(wanted, f.name) for f in fields(wanted) if getattr(wanted, f.name) != f.default}
    return ", ".join(f"{name} = {value:g}" for name, value in given.items()) or "nothing"


def page(tool: Tool) -> str:
    """The page of one tool: what it is for, what it takes."""
    text = PAGES.get(tool.name, tool.doc)
    return f"{tool.name}: {tool.doc}\n\n{text}\n\narguments (JSON schema): {dict(tool.schema)}"


def reference(tools: tuple[Tool, ...]) -> str:
    """TOOLS.md: one line a tool."""
    return "# Tools\n\n" + "".join(f"- `{tool.name}`: {tool.doc}\n" for tool in tools)
