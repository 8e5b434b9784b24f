"""The tables and the figure of docs/performance.md, from the result files of benchmarks.

    make bench ARGS="-k test_plan_of_ten_agents --record"   # measures, and writes benchmarks/results/
    PYTHONPATH=src:. .venv/bin/python benchmarks/tables.py  # says whether the page shows these results
    PYTHONPATH=src:. .venv/bin/python benchmarks/tables.py --write

The page has one region for each result file, between `<!-- table: NAME -->` and `<!-- end of table -->`. What
stands between these lines is replaced; everything else on the page is written by hand.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks import measurements
from benchmarks.measurements import Row

from assay.errors import AssayError

PAGE = measurements.ROOT / "docs/performance.md"
SCALE = measurements.ROOT / "docs/images/performance-scale.svg"

REGION = re.compile(r"^(<!-- table: ([\w-]+) -->\n).*?^(<!-- end of table -->)$", re.DOTALL | re.MULTILINE)

Results = Mapping[str, Sequence[Row]]
"""Name of a table -> its rows."""


def results(folder: Path = measurements.RESULTS) -> Results:
    """Return the rows of all result files by the names of their tables."""
    return {path.stem: measurements.read(path) for path in sorted(folder.glob("*.json"))}


def filled(page: str, tables: Results) -> str:
    """Return the page with the table of each region as the result files have it.

    Raises:
        AssayError: If a region has no result file, or a result file has not exactly one region.
    """
    regions = [region[2] for region in REGION.finditer(page)]
    if sorted(regions) != sorted(tables):
        raise AssayError(
            f"the page has the tables {sorted(regions)}, benchmarks/results/ has {sorted(tables)}",
            "give each result file one region `<!-- table: NAME -->` on the page, or delete the file",
        )
    contents = {name: table(rows) for name, rows in tables.items()}
    if _draws(tables):
        contents["scale"] += (
            f"\n![Wall time and memory against the number of episodes](images/{SCALE.name})\n"
        )
    return REGION.sub(lambda region: f"{region[1]}\n{contents[region[2]]}\n{region[3]}", page)


def table(rows: Sequence[Row]) -> str:
    """Return rows as a Markdown table, followed by where the figures come from."""
    headings = list(dict.fromkeys(name for row in rows for name in row.figures))
    lines = [headings, ["---"] * len(headings)]
    lines += [[_cell(row.figures.get(name)) for name in headings] for row in rows]
    origins: dict[tuple[str, str, str], list[int]] = {}
    for number, row in enumerate(rows, start=1):
        origins.setdefault((row.command, row.commit, row.machine), []).append(number)
    sources = []
    for (command, commit, machine), numbers in origins.items():
        of = f" (row {', '.join(map(str, numbers))})" if len(origins) > 1 else ""
        sources.append(f"Measured{of} by `{command}` at commit {commit} on {machine}.")
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n" + "\n".join(sources) + "\n"


def _cell(value: float | str | None) -> str:
    if value is None:
        return "-"
    return value if isinstance(value, str) else f"{value:,}"


def _draws(tables: Results) -> bool:
    """Whether there are sizes enough for a figure: a single size shows no growth."""
    return len(tables.get("scale", ())) > 1


def draw(tables: Results, path: Path) -> None:
    """Draw wall time and memory of a build of ten agents against the number of episodes.

    Filled points were measured; open ones are the wall time that a build of a tenth or a hundredth of the
    size projected, so the distance between the two is the error of the projection.
    """
    from assay import plotting

    rows = [row.figures for row in tables["scale"]]
    projected = [row.figures for row in tables["projection"]]
    episodes = [row["episodes"] for row in rows]
    with plotting.style():
        figure = plotting.figure(width_mm=160, height_mm=70)
        wall, memory = figure.subplots(1, 2)
        wall.plot(episodes, [row["wall, s"] for row in rows], "o-", label="measured")
        wall.plot(
            [row["episodes"] for row in projected],
            [row["wall on 2 cores, s"] for row in projected],
            "o",
            markerfacecolor="none",
            color=plotting.COLOURS["grey"],
            label="projected from a smaller build",
        )
        wall.legend(loc="upper left")
        wall.set(xscale="log", yscale="log", title="Wall time", xlabel="episodes", ylabel="seconds")
        for name, label in (("largest job, MiB", "a job"), ("largest process, MiB", "any process")):
            memory.plot(episodes, [row[name] for row in rows], "o-", label=label)
        memory.legend(loc="lower right")
        memory.set(xscale="log", title="Memory of the largest", xlabel="episodes", ylabel="MiB")
        memory.set_ylim(bottom=0)
        plotting.save_svg(
            figure,
            path,
            title="A build of ten agents of petri against its episodes",
            description="Wall time on two cores and the memory of the largest process.",
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare the page with the results, or write it; return 1 if the page is not up to date."""
    parser = argparse.ArgumentParser(
        description="The tables of docs/performance.md, from benchmarks/results/."
    )
    parser.add_argument("--write", action="store_true", help="write the page and its figure")
    args = parser.parse_args(arguments)
    tables, page = results(), PAGE.read_text()
    text = filled(page, tables)
    if args.write:
        PAGE.write_text(text)
        if _draws(tables):
            draw(tables, SCALE)
        return 0
    if text != page:
        print(f"{PAGE.name} does not show benchmarks/results/: run `python benchmarks/tables.py --write`")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
