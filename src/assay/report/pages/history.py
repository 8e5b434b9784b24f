"""The page History: every line of the ledger, what has become of each admission, and rebuilds of others."""

from __future__ import annotations

from typing import Any

from assay.admission import rungs
from assay.admission.ledger import Ledger, Line, words


def values(ledger: Ledger) -> dict[str, Any]:
    """The values of the template `history.html`, computed from the lines of the ledger alone."""
    return {
        "title": "History",
        "lines": [_line(ledger, line) for line in reversed(ledger.lines)],
        "head": ledger.head if ledger.lines else None,
        "rebuilds": [{**line.facts, "date": line.date, "by": line.by} for line in ledger.of("rebuild")],
        "suites": sorted({suite for line in ledger.of("rebuild") for suite in line.facts["suites"]}),
        "meaning": rungs.MEANING,
    }


def _line(ledger: Ledger, line: Line) -> dict[str, Any]:
    """Return the cells of a line. An admission has its scores, its rungs, and the line that removed it."""
    admission = line.kind == "admit"
    removal = ledger.removed.get(line.n) if admission else None
    return {
        "n": line.n,
        "date": line.date,
        "kind": line.kind,
        "about": words(line),
        "reason": line.reason,
        "by": line.by,
        "scores": line.facts["scores"] if admission else {},
        "missing": line.facts["missing"] if admission else 0,
        "rungs": rungs.of(ledger, line) if admission else [],
        "removed": removal,
    }
