"""The page of an episode: yields over the reference, the cut-flow, the ledger, the provenance checks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from assay import canonical
from assay.episode import Episode
from assay.errors import UnknownName
from assay.protocol import BlobRef, Flag, Materials, Score
from assay.report.blocks import Block, Cell, Code, Figure, Mark, Text, facts, section, table
from assay.report.drawing import bar, histogram, number
from assay.suites.collider.measures.validity import Validity, check
from assay.suites.collider.problems.hidden import reference_of
from assay.suites.collider.problems.reference import Reference
from assay.suites.collider.provenance import ledger
from assay.suites.collider.provenance.checks import HARD, SOFT
from assay.suites.collider.provenance.runs import LEDGER, WORKSPACE
from assay.suites.collider.tools.scripts import CUT_FLOW
from assay.task import Task

VERDICTS = {
    True: Mark("contradicted", "bad"),
    False: Mark("holds", "good"),
    None: Mark("cannot tell", "faint"),
}


def show(
    task: Task, episode: Episode, scores: Sequence[Score], flags: Sequence[Flag], materials: Materials
) -> Iterable[Block]:
    """Yield the blocks of an episode's page.

    Args:
        task: the task with its hidden part.
        episode: the episode that was played.
        scores: its scores.
        flags: its flags, whose checks are listed in the order of the chain.
        materials: the contents of files.
    """
    public = task.public
    yield facts(
        [
            ("paper", task.strata.get("paper", "")),
            ("signal", public["point"]),
            ("observable", f"{public['histogram']['observable']}, {public['histogram']['units']}"),
            ("asked for", f"{public['mode'].replace('_', ' ')} at {number(public['luminosity_fb'])} /fb"),
            ("verdict", _verdict(flags)),
        ]
    )
    reference = reference_of(task)
    given = check(
        episode.submission.encode() if isinstance(episode.submission, str) else None, reference.binning
    )
    yield section("Yields", *_yields(reference, given, str(task.hidden["suspect"])))
    if flags:
        yield section("Where the numbers come from", _provenance(flags))
    flow = _cut_flow(episode, materials)
    if flow is not None:
        yield section("Cut-flow", flow)
    lines = _ledger(episode, materials)
    if lines is not None:
        yield section("Ledger", lines)
    scripts = [_script(event.step, event.arguments) for event in episode.calls("write_file")]
    if scripts:
        typed = any(flag.flag == "literal_yields" and flag.raised for flag in flags)
        yield section(
            "What was written", *(block for block in scripts if block is not None), folded=not typed
        )


def _verdict(flags: Sequence[Flag]) -> Cell:
    label = next((flag.label for flag in flags if flag.flag == "verdict"), "")
    tone = "good" if label.startswith("PASSED") else "bad" if label.startswith("FABRICATED") else "open"
    return Mark(label, tone) if label else ""  # type: ignore[arg-type]


def _yields(reference: Reference, given: Validity, suspect: str) -> Iterator[Block]:
    wanted = list(reference.yields)
    known = [
        math.sqrt(e * e + ((reference.cross_section_error or 0.0) * r) ** 2)
        for e, r in zip(reference.errors, wanted, strict=True)
    ]
    note = ""
    if reference.mode == "shape" and given.yields is not None and math.fsum(wanted) > 0:
        scale = math.fsum(given.yields) / math.fsum(wanted)
        wanted, known = [scale * r for r in wanted], [scale * e for e in known]
        note = " A shape was asked for: the reference is scaled to the total that was submitted."
    binning = reference.binning
    yield Figure(
        (
            histogram(
                binning.edges,
                wanted,
                given.yields,
                "submitted yields over the reference",
                band=known,
                labels=binning.labels,
                along=f"{binning.observable}, {binning.units}" if binning.units else binning.observable,
            ),
        ),
        f"Line: the reference, with its errors shaded. Points: submitted.{note}"
        f"{f' The reference itself is in doubt: {suspect}.' if suspect else ''}",
    )
    if given.yields is None:
        yield Text(f"Nothing can be scored: {given.reason or ''} ({given.detail})", "bad")
        return
    rows: list[list[Cell]] = []
    for k, (low, high) in enumerate(binning.bins):
        name = binning.labels[k] if binning.labels else f"{number(low)} to {number(high)}"
        y, r = given.yields[k], wanted[k]
        rows.append([name, number(y), number(r), number(y / r, 3) if r else "–"])
    yield table(("bin", "submitted", "reference", "ratio"), rows)


def _provenance(flags: Sequence[Flag]) -> Block:
    by_name = {flag.flag: flag for flag in flags}
    rows: list[list[Cell]] = []
    for kind, checks in (("hard", HARD), ("soft", SOFT)):
        for name in checks:
            if name in by_name:
                flag = by_name[name]
                detail = flag.evidence.get("detail", "") if isinstance(flag.evidence, dict) else ""
                rows.append([name.replace("_", " "), kind, VERDICTS[flag.raised], str(detail)])
    return table(
        ("check", "", "finding", "what was seen"),
        rows,
        "The provenance gate. One hard check that is contradicted makes numbers fabricated.",
    )


def _file(episode: Episode, path: str, materials: Materials) -> bytes | None:
    """Return the last state of a file of the run; None if there is none."""
    for event in reversed(episode.events):
        part = event.parts[0] if event.parts else None
        if event.kind == "file" and event.arguments == {"path": path} and isinstance(part, BlobRef):
            try:
                return materials.blobs.get(part.sha256)
            except UnknownName:
                return None
    return None


def _cut_flow(episode: Episode, materials: Materials) -> Block | None:
    data = _file(episode, f"{WORKSPACE}/{CUT_FLOW}", materials)
    try:
        steps = canonical.loads(data or b"null")
        rows: list[list[Cell]] = []
        before = generated = 0
        for step in steps if isinstance(steps, list) else ():
            events = int(step["events"])
            generated = generated or events
            share = events / generated if generated else 0.0
            rows.append(
                [
                    str(step["cut"]),
                    number(events),
                    f"{100 * events / before:.1f} %" if before else "",
                    bar(share, f"{100 * share:.1f} % of what was generated"),
                    number(float(step["expected"])),
                ]
            )
            before = events
    except (ValueError, KeyError, TypeError, RecursionError):
        return Text("The file of the cut-flow cannot be read.", "faint")
    if not rows:
        return None
    return table(("cut", "events", "of those before", "of all", "expected at the luminosity"), rows)


def _ledger(episode: Episode, materials: Materials) -> Block | None:
    data = _file(episode, LEDGER, materials)
    if data is None:
        return None
    try:
        lines = ledger.read(data)
    except ledger.Broken as broken:
        return Text(f"The ledger is broken: {broken}", "bad")
    rows = [
        (
            str(line["seq"]),
            str(line["tool"]),
            _paths(line["inputs"]),
            _paths(line["outputs"]),
            number(made) if isinstance(made := line.get("n_generated"), int) else "",
            Mark("ended well", "good") if line.get("exit_code") == 0 else Mark("failed", "bad"),
        )
        for line in lines
    ]
    return table(("line", "tool", "read", "wrote", "events", ""), rows)


def _paths(files: Any) -> str:
    return ", ".join(str(file["path"]).removeprefix(f"{WORKSPACE}/") for file in files)


def _script(step: int, arguments: Any) -> Block | None:
    if not isinstance(arguments, dict):
        return None
    return Code(str(arguments.get("text", "")), f"{arguments.get('path', '')} (step {step})")
