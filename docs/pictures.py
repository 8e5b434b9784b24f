"""Make the pictures of the README: the workflow, drawn from its rules, and copies of figures.

    .venv/bin/python docs/pictures.py [reports/figures/<suite>/<figure>.svg ...]

writes docs/images/workflow.svg, and docs/images/<suite>-<figure>.svg for each figure named.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path as Line

from assay import plotting
from assay.errors import AssayError, NotBuilt

ROOT = Path(__file__).resolve().parents[1]
# The made-up suite takes every path through the workflow.
GRAPH = "-m snakemake -q all --configfile config/test/madeup.yaml --forceall --rulegraph dot -- reproduce"

# Each stage: its row in the picture, its kind, what it does, and what it reads of the repository.
STAGES = {
    "tasks": (0.5, "built", "made from seeds", "frozen tasks"),
    "artefacts": (2.25, "built", "costly, so made once", ""),
    "calibration": (0, "built", "how hard each task is", ""),
    "episodes": (1.5, "built", "played or replayed", "recordings"),
    "validation": (3, "built", "worlds against papers", ""),
    "scores": (1, "built", "what was achieved", ""),
    "audit": (2, "built", "how it was achieved", ""),
    "summary": (1, "built", "agents by stratum", ""),
    "tables": (0, "built", "each suite’s own", "published results"),
    "figures": (1, "built", "drawn from the tables", ""),
    "report": (2, "built", "pages to read", ""),
    "manifest": (3, "verdict", "hashes of everything", ""),
    "verify": (4, "verdict", "same byte for byte?", "frozen manifest"),
}
STAGE_OF = {"artefact": "artefacts", "own_table": "tables", "reproduce": "verify"}
STAGE_OF |= {"sweep": "episodes", "events": "episodes", "unverified": "verify"}
STAGE_OF |= dict.fromkeys(("downloads_madeup", "viewer_madeup", "leaderboard", "profile", "site"), "report")
KINDS = {
    "given": ("orange", "kept in the repository"),
    "built": ("blue", "built: tables and figures"),
    "verdict": ("green", "the verdict"),
}
# Millimetres: the panel and its margins, a box and a row, the bend of an arrow, and from lane to lane.
WIDTH, HEIGHT, LEFT, TOP, BOX, TALL, ROW, BEND, LANE = 180, 112, 4.5, 18.5, 27, 11, 18.6, 1.8, 2
COLUMN = (WIDTH - 2 * LEFT - BOX) / 4


def stages() -> dict[str, list[str]]:
    """What each stage needs, by the rules; arrows that follow from others are left out."""
    paths = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    dot = subprocess.check_output([sys.executable, *GRAPH.split()], cwd=ROOT, env=paths, text=True)
    rules = dict(re.findall(r'(\d+)\[label = "(?:merge_)?(\w+)"', dot))
    stage = {number: STAGE_OF.get(rule, rule) for number, rule in rules.items()}
    needs: dict[str, set[str]] = {name: set() for name in stage.values()}
    for before, after in re.findall(r"(\d+) -> (\d+)", dot):
        needs[stage[after]] |= {stage[before]} - {stage[after]}
    if odd := needs.keys() ^ STAGES.keys():
        raise AssayError(f"rules and picture differ: {', '.join(sorted(odd))}", f"mend STAGES in {__file__}")

    def all_before(name: str) -> set[str]:
        return needs[name].union(*map(all_before, needs[name]))

    direct = {name: needs[name] - set().union(*map(all_before, needs[name])) for name in STAGES}
    return {name: [other for other in STAGES if other in direct[name]] for name in STAGES}


def columns(needs: dict[str, list[str]]) -> dict[str, int]:
    """The column of each stage, by its longest path; the chain at the end stands below its first stage."""

    def depth(name: str) -> int:
        return 1 + max(map(depth, needs[name]), default=-1)

    chain = ["verify"]
    while len(needs[chain[-1]]) == 1:
        chain += needs[chain[-1]]
    return {name: depth(chain[-1] if name in chain else name) for name in needs}


def draw(needs: dict[str, list[str]]) -> Any:
    """The stages as boxes, what they need as arrows."""
    figure = plotting.figure(WIDTH, HEIGHT)
    figure.set_layout_engine("none")
    figure.patch.set_visible(False)  # behind the round corners of the panel is the page
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(HEIGHT, 0))
    axes.set_axis_off()

    def box(x: float, y: float, width: float, height: float, kind: str = "", radius: float = 1.5) -> None:
        colour = plotting.COLOURS[KINDS[kind][0]] if kind else "white"
        shape = FancyBboxPatch((x, y - height / 2), width, height, f"round,pad=0,rounding_size={radius}")
        axes.add_patch(shape).set(edgecolor=colour, facecolor=(colour, 0.13 if kind else 1), linewidth=0.8)

    def write(x: float, y: float, text: str, **looks: Any) -> None:
        axes.text(x, y, text, va="center", **{"ha": "center", "fontsize": 6.5} | looks)

    def arrow(*points: tuple[float, float]) -> None:
        """From the first point to the last; between them bends, each of three points around a corner."""
        codes = [Line.MOVETO, *[Line.LINETO, Line.CURVE3, Line.CURVE3] * (len(points) // 3), Line.LINETO]
        looks = {"arrowstyle": "-|>,head_length=3,head_width=1.5", "mutation_scale": 1, "joinstyle": "miter"}
        axes.add_patch(FancyArrowPatch(path=Line(points, codes), color="#6B6B6B", linewidth=0.8, **looks))

    box(0, HEIGHT / 2, WIDTH, HEIGHT, radius=3)
    column = columns(needs)
    place = {name: (LEFT + COLUMN * column[name], TOP + ROW * STAGES[name][0]) for name in needs}
    for name, (x, y) in place.items():
        (_, kind, does, given), middle = STAGES[name], x + BOX / 2
        box(x, y, BOX, TALL, kind)
        write(middle, y - 1.4, name, fontsize=9, weight="bold")
        write(middle, y + 2.5, does)
        if given:
            side = 1 if kind == "verdict" else -1
            box(x + 2, y + 11.5 * side, BOX - 4, 4.4, "given")
            write(middle, y + 11.5 * side + 0.1, given)
            arrow((middle, y + 9.3 * side), (middle, y + TALL / 2 * side))

    ends = [(place[before], place[after]) for after in needs for before in needs[after]]
    for (x0, y0), (x, y) in ends:
        if x0 == x:
            arrow((x + BOX / 2, y0 + TALL / 2), (x + BOX / 2, y - TALL / 2))
        elif y0 == y:
            arrow((x0 + BOX, y), (x, y))
        else:  # level as far as the last gap, where each stage has a lane of its own, the lowest the last
            lanes = sorted({start[1] for start, end in ends if start[0] < end[0] == x and start[1] != end[1]})
            lane, bend = x - 4.9 + LANE * (lanes.index(y0) - (len(lanes) - 1) / 2), BEND if y0 < y else -BEND
            first = [(lane - BEND, y0), (lane, y0), (lane, y0 + bend)]
            arrow((x0 + BOX, y0), *first, (lane, y - bend), (lane, y), (lane + BEND, y), (x, y))
    for i, (kind, (_, text)) in enumerate(KINDS.items()):
        box(LEFT, HEIGHT - LEFT - 10.7 + 4 * i, 5, 2.6, kind, radius=0.8)
        write(LEFT + 7, HEIGHT - LEFT - 10.6 + 4 * i, text, ha="left")
    return figure


if __name__ == "__main__":
    about = {"title": "Workflow", "description": "Stages as boxes, from tasks to verdict; arrows are files."}
    try:
        with plotting.style():
            plotting.save_svg(draw(stages()), ROOT / "docs/images/workflow.svg", **about)
        for built in map(Path, sys.argv[1:]):
            if not built.is_file():
                raise NotBuilt(f"{built} is not there", "make reproduce; then run the same command again")
            shutil.copyfile(built, ROOT / f"docs/images/{built.parent.name}-{built.stem}.svg")
    except AssayError as problem:
        print(problem, file=sys.stderr)
        sys.exit(problem.exit_code)
