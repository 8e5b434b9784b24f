"""Mutants of the engines, and which checks notice them.

A check is worth what it refutes. Each mutant in `data/mutants.yaml` changes the source of an engine so that
it becomes another model, or measures something else. All checks of the world run on it; a check with a row
that does not pass has killed the mutant. A mutant that no check kills needs an explanation in the file.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from assay.config import data
from assay.errors import AssayError
from assay.suites.petri.checks import CHECKS
from assay.suites.petri.experiments.replicates import substituted
from assay.suites.petri.validation import seeds_of

DATA_FILES = ("../data/mutants.yaml", "../data/kills.csv")
ENGINES = Path(__file__).parents[1] / "engines"


@dataclass(frozen=True)
class Mutant:
    """One change of an engine: `find` is replaced by `replacement` (in the file: `with`)."""

    find: str
    replacement: str
    model: str
    survives: str = ""


@dataclass(frozen=True)
class _Entry:
    __pydantic_config__ = data.CLOSED

    find: str
    model: str
    replacement: str
    survives: str = ""


class UnsoundMutant(AssayError):
    """The text that a mutant replaces does not occur exactly once in its engine."""


def _read() -> dict[str, dict[str, Mutant]]:
    entries = data.read(Path(__file__).parent / DATA_FILES[0], dict[str, dict[str, _Entry]])
    return {
        world: {name: Mutant(e.find, e.replacement, e.model, e.survives) for name, e in of_world.items()}
        for world, of_world in entries.items()
    }


MUTANTS: Mapping[str, Mapping[str, Mutant]] = _read()
"""The mutants of each world by name."""


def source(world: str, name: str) -> str:
    """Return the source of a mutant's engine.

    Raises:
        UnsoundMutant: The text to replace does not occur exactly once.
    """
    mutant = MUTANTS[world][name]
    text = (ENGINES / f"{world}.py").read_text(encoding="utf-8")
    if text.count(mutant.find) != 1:
        raise UnsoundMutant(
            f"mutant {name}: its text occurs {text.count(mutant.find)} times in engines/{world}.py",
            "write in data/mutants.yaml a text that occurs exactly once",
        )
    return text.replace(mutant.find, mutant.replacement)


def load(world: str, name: str, folder: Path) -> ModuleType:
    """Write the engine of a mutant into a folder and import it."""
    path = folder / f"{world}_{name.replace('-', '_')}.py"
    path.write_text(source(world, name), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def killers(world: str, name: str, seeds: int) -> list[str]:
    """Return the checks that a mutant fails, in the order of the registry."""
    with tempfile.TemporaryDirectory() as folder, substituted(world, load(world, name, Path(folder))):
        checks = [each for each in CHECKS if each.partition("-")[0] == world]
        return [each for each in checks if _fails(each, seeds_of(world, seeds))]


def _fails(name: str, seeds: Sequence[int]) -> bool:
    """Tell whether a check has a row that does not pass, or compares numbers that cannot be compared.

    Rows are computed one by one, so that a check ends with its first row that does not pass.
    """
    try:
        return not all(row.passed for row in CHECKS[name].rows(name, seeds))
    except (ArithmeticError, ValueError):
        return True


SEEDS = 48
"""Number of seeds of each configuration, as in the table `validation`."""

Result = tuple[str, str, list[str]]
"""World and name of a mutant, and the checks that kill it."""


def run(worlds: Mapping[str, Iterable[str]], seeds: int = SEEDS) -> Iterator[Result]:
    """Yield the result of each mutant of these names, by world."""
    for world, names in worlds.items():
        for name in names:
            yield world, name, killers(world, name, seeds)


FIELDS = ("world", "mutant", "killed_by")


def table(results: Iterable[Result]) -> str:
    """Return results as CSV with the columns `FIELDS`."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(FIELDS)
    writer.writerows((world, name, " ".join(checks)) for world, name, checks in results)
    return text.getvalue()


def page(text: str) -> str:
    """Return a table of mutants (CSV) as a page in Markdown, with the explanations of survivors."""
    rows = list(csv.DictReader(io.StringIO(text)))
    killed = sum(bool(row["killed_by"]) for row in rows)
    lines = [
        "# petri: mutants of the engines",
        "",
        "A check is worth what it refutes. Each mutant changes the source of an engine in one place, so that",
        "it simulates another model or measures something else. This table says which checks notice it.",
        "[petri.md](petri.md) explains the checks; `assay petri mutants --write FILE` computes the table.",
        "",
        f"{killed} of {len(rows)} mutants are killed. For each other one its row says why it survives.",
    ]
    for world in dict.fromkeys(row["world"] for row in rows):
        lines += ["", f"## {world}", "", "| mutant | what it simulates | killed by |", "|---|---|---|"]
        for row in rows:
            if row["world"] == world:
                mutant = MUTANTS[world][row["mutant"]]
                fate = row["killed_by"].replace(f"{world}-", "").replace(" ", ", ")
                lines.append(
                    f"| `{row['mutant']}` | {mutant.model} | {fate or f'survives. {mutant.survives}'} |"
                )
    return "\n".join(lines) + "\n"


def committed() -> str:
    """Return the committed table of all mutants."""
    return (Path(__file__).parent / DATA_FILES[1]).read_text(encoding="utf-8")
