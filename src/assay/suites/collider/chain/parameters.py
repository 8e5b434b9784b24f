"""The parameters of the chain by name, read with their sources from `data/chain_parameters.yaml`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from assay.errors import UnknownName
from assay.suites.collider.formats import documents

# The lock file counts as data, because other versions of Pythia or fastjet may make other events.
DATA_FILES = ("../data/chain_parameters.yaml", "../../../../../envs/collider.lock")
FILE = Path(__file__).parent / DATA_FILES[0]


@dataclass(frozen=True)
class Parameter:
    """A number or a table of numbers.

    `source` names the public document that it comes from, or describes the choice that was made.
    """

    group: str
    name: str
    value: Any
    unit: str
    source: str


@cache
def table() -> tuple[Parameter, ...]:
    """Return all parameters, in the order of the file."""
    document = documents.packaged("chain_parameters.yaml")
    rows = []
    for group, entries in document["parameters"].items():
        for name, entry in entries.items():
            source = document["sources"][entry["source"]] if "source" in entry else entry["choice"]
            rows.append(Parameter(group, name, entry["value"], entry.get("unit", ""), source))
    return tuple(rows)


def value(group: str, name: str) -> Any:
    """Return the value of one parameter. Raises `UnknownName` if there is no such parameter."""
    try:
        return documents.packaged("chain_parameters.yaml")["parameters"][group][name]["value"]
    except KeyError:
        raise UnknownName(f"{FILE.name} has no {group}: {name}", "add it, with its source") from None
