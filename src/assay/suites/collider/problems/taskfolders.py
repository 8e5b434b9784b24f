"""Task folders in the published layout, read and written.

    tasks/<id>/task.toml, TASK.md, template/<name>.yaml
    shared/<PAPER>/reference/<name>.yaml            (hidden from agents)

Folders of the original benchmark load unchanged, except for the high-HT tasks, whose templates and references
have different bins: these raise an error with the reason.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import TaskError
from assay.suites.collider.formats import documents
from assay.suites.collider.formats.histogram import Binning, document_of, equal_edges, label_of, write
from assay.suites.collider.formats.printed import printed_resolution
from assay.suites.collider.measures import validity
from assay.suites.collider.problems.hidden import reference_of
from assay.suites.collider.problems.reference import MODES, Mode, Reference
from assay.task import Task

REMEDY = "mend that file, or take the task of that name from the suite's own sets"

LARGEST = 1 << 16
"""Largest number of characters of a `task.toml`."""

MOST_DOTS = 500
"""Largest number of dots on one line of a `task.toml`."""


@dataclass(frozen=True)
class TaskFolder:
    """A published task: its identity, what agents see, and its reference (None if it is not known)."""

    id: str
    paper: str
    target: str
    mode: Mode
    tolerance: float
    brief: str
    template: str
    name: str
    binning: Binning
    reference: Reference | None


def load(folder: Path) -> TaskFolder:
    """Read one task folder. Raises `TaskError` if it is not one or its parts do not fit together."""
    document = _toml(folder / "task.toml")
    task = document.get("task")
    metrics = document.get("metrics", {})
    if not isinstance(task, dict) or not isinstance(metrics, dict) or not isinstance(task.get("paper"), str):
        raise TaskError(f"{folder / 'task.toml'} has no table [task] with a paper", REMEDY)
    if task.get("id") != folder.name:
        raise TaskError(f"{folder / 'task.toml'}: id is {task.get('id')!r}, the folder {folder.name}", REMEDY)
    mode = metrics.get("mode", "shape_norm")
    if mode not in MODES:
        raise TaskError(
            f"{folder / 'task.toml'}: mode is {mode!r}, and not one of {', '.join(MODES)}", REMEDY
        )
    tolerance = metrics.get("tolerance", 0.0)
    if not isinstance(tolerance, int | float) or isinstance(tolerance, bool) or not 0 <= tolerance < 10:
        raise TaskError(f"{folder / 'task.toml'}: tolerance is {tolerance!r}, and no number", REMEDY)
    templates = sorted((folder / "template").glob("*.yaml"))
    if len(templates) != 1:
        raise TaskError(f"{folder / 'template'} holds {len(templates)} histograms, and not one", REMEDY)
    binning, _ = read_histogram(templates[0])
    hidden = folder.parent.parent / "shared" / task["paper"] / "reference" / templates[0].name
    reference = _reference(hidden, mode)
    if reference is not None:
        _check_bins(binning, reference.binning, folder)
    brief = folder / "TASK.md"
    return TaskFolder(
        id=folder.name,
        paper=task["paper"],
        target=str(task.get("target", "")),
        mode=mode,
        tolerance=float(tolerance),
        brief=brief.read_text(encoding="utf-8", errors="replace") if brief.is_file() else "",
        template=templates[0].read_text(encoding="utf-8"),
        name=templates[0].name,
        binning=binning,
        reference=reference,
    )


def _reference(path: Path, mode: Mode) -> Reference | None:
    """Return the reference of a task; None if its file is missing, or has null in every bin.

    The observed histogram of one of the original's validation tasks is published like that.
    """
    if not path.is_file():
        return None
    binning, _ = read_histogram(path)
    submission = validity.check(path.read_bytes(), binning)
    return None if submission.reason == "null_bins" and not submission.filled else read_reference(path, mode)


def read_reference(path: Path, mode: Mode | None = None) -> Reference:
    """Return the reference in a histogram file, with errors that follow from its printed digits.

    If `mode` is None, it is `shape` if the file says `scoring: shape_only`, and `shape_norm` otherwise.
    Raises `TaskError` if the file is not a histogram of valid yields.
    """
    binning, metadata = read_histogram(path)
    submission = validity.check(path.read_bytes(), binning)
    if submission.yields is None:
        raise TaskError(f"{path} is no reference: {submission.reason}, {submission.detail}", REMEDY)
    if mode is None:
        mode = "shape" if metadata.get("scoring") == "shape_only" else "shape_norm"
    return Reference(binning, submission.yields, printed_resolution(submission.yields), mode=mode)


def read_histogram(path: Path) -> tuple[Binning, Mapping[str, Any]]:
    """Return the binning of a histogram file and its metadata. Raises `TaskError` if it is not one."""
    try:
        pages = documents.read(path.read_bytes())
    except OSError as problem:
        raise TaskError(f"{path} cannot be read ({problem.strerror})", "name a file that is there") from None
    except documents.Unreadable as problem:
        raise TaskError(f"{path} is no YAML that is read here: {problem}", REMEDY) from None
    document = document_of(pages)
    metadata = next((p for p in pages if isinstance(p, dict) and p is not document), {})
    try:
        if document is None:
            raise KeyError("dependent_variables")
        (dependent,) = document["dependent_variables"]
        (independent,) = document["independent_variables"]
        header, values = independent["header"], independent["values"]
        series, observable, units = dependent["header"]["name"], header["name"], header.get("units", "")
        labels = _labels(values)
        if labels:
            edges = tuple(map(float, range(len(labels) + 1)))
        else:
            bins = [(float(v["low"]), float(v["high"])) for v in values]
            edges = (bins[0][0], *(high for _, high in bins))
            joined = all(equal_edges(low, edge) for (low, _), edge in zip(bins, edges, strict=False))
            if not joined or any(not -math.inf < low < high < math.inf for low, high in bins):
                raise ValueError("bins")
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        raise TaskError(f"{path} is no histogram of one series in adjacent, ascending bins", REMEDY) from None
    return Binning(str(series), str(observable), str(units), edges, labels), metadata


def _labels(values: list[Any]) -> tuple[str, ...]:
    """Return the labels of bins without edges (`{value: label}`), and nothing if they have edges."""
    if not values or not all("value" in value and "low" not in value for value in values):
        return ()
    labels = tuple(label for value in values if (label := label_of(value["value"])) is not None)
    if len(set(labels)) != len(values):
        raise ValueError("labels")
    return labels


def save(task: Task, root: Path) -> Path:
    """Write a task of the suite and its reference in the published layout below `root`; return its folder."""
    facts = task.public
    reference = reference_of(task)
    name = Path(facts["file"]).name
    folder: Path = root / "tasks" / facts["id"]
    # The variants of a point have different references with one file name, so each has a shared folder.
    paper = facts["paper"] if facts["mode"] == "shape_norm" else f"{facts['paper']}-{facts['mode']}"
    toml = f"""[task]
id = "{facts["id"]}"
paper = "{paper}"
type = "simulation"
target = "{facts["point"]}"
observable = "{reference.binning.observable}"

[metadata]
difficulty = "{facts["difficulty"]}"
walltime = "{facts["walltime"]}"

[metrics]
tolerance = {facts["tolerance"]}
mode = "{facts["mode"]}"
"""
    shared = root / "shared" / paper / "reference" / name
    texts = {
        folder / "task.toml": toml,
        folder / "TASK.md": facts["brief"],
        folder / "template" / name: facts["template"],
        shared: write(reference.binning, reference.yields),
    }
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def _toml(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        # The time to parse a dotted key grows with the square of the number of its parts.
        if len(text) > LARGEST or any(line.count(".") > MOST_DOTS for line in text.splitlines()):
            raise TaskError(
                f"{path} has more than {LARGEST} characters, or a line of more than {MOST_DOTS} dots", REMEDY
            )
        return tomllib.loads(text)
    except OSError as problem:
        raise TaskError(f"{path} cannot be read ({problem.strerror})", "name the folder of a task") from None
    except (ValueError, RecursionError) as problem:  # ValueError also for too long integers
        raise TaskError(f"{path} is no TOML: {problem}", REMEDY) from None


def _check_bins(template: Binning, reference: Binning, folder: Path) -> None:
    """Raise `TaskError` if template and reference have different bins.

    To compare them by position would be meaningless.
    """
    fits = len(template.edges) == len(reference.edges) and all(
        equal_edges(a, b) for a, b in zip(template.edges, reference.edges, strict=True)
    )
    fits = fits and template.labels == reference.labels
    if template.series != reference.series or not fits:
        raise TaskError(
            f"{folder}: its template has {len(template.bins)} bins from {template.edges[0]:g} to "
            f"{template.edges[-1]:g}, its reference {len(reference.bins)} from {reference.edges[0]:g} to "
            f"{reference.edges[-1]:g}",
            REMEDY,
        )
