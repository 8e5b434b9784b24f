"""The page of the verdict, which `assay verify` writes.

The page depends on the machine on which `assay verify` ran, so it is not an output of the workflow. Each
build replaces it by a page which says that the build has not been compared yet.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.build import links
from assay.report import page
from assay.tables.digest import file_digest
from assay.writing import write_whole

if TYPE_CHECKING:
    from assay.verdict.verify import Verdict

LOCK = Path("envs/base.lock")
STATES = (
    *("identical", "identical in content", "identical for frozen agents", "identical for frozen sets"),
    *("differs", "missing", "unreadable", "not compared", "not frozen", "not built"),
)
GOOD = 4
"""Number of states, at the start of `STATES`, that count as identical. Their files are not listed."""
LISTED = 500
"""Largest number of files in the list of files that are not identical."""

_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==(\S+?)(?: ;.*)?\s*\\?$", re.MULTILINE)


def write(root: Path, verdict: Verdict) -> None:
    """Write the page of a verdict into the site below `root`. Do nothing if there is no site.

    Raises:
        WriteError: The page cannot be written.
    """
    index = root / links.SITE / links.INDEX
    if index.is_file():
        suites = sorted(path.stem for path in (index.parent / "suites").glob("*.html"))
        write_whole(index.with_name(links.VERDICT), render(root, suites, verdict))


def render(root: Path, suites: list[str], verdict: Verdict | None) -> str:
    """Render the page of a verdict, or, if it is None, the page of a build that was not compared yet."""
    lock = root / LOCK
    text = lock.read_text(encoding="utf-8") if lock.is_file() else ""
    return page.render(
        "verdict.html",
        links.VERDICT,
        title="Verdict",
        suites_shown=suites,
        verdict=verdict,
        stages=[] if verdict is None else _stages(verdict),
        others=[] if verdict is None else [f for f in verdict.findings if f.state not in STATES[:GOOD]],
        states=[] if verdict is None else [s for s in STATES if any(f.state == s for f in verdict.findings)],
        listed=LISTED,
        versions=sorted(_PINNED.findall(text), key=lambda pinned: pinned[0].lower()),
        lock_sha256=file_digest(lock) if text else "",
    )


def _stages(verdict: Verdict) -> list[dict[str, Any]]:
    """Count the files of each suite and stage by state, in the order of the findings."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for finding in verdict.findings:
        stage = finding.rule.removeprefix("merge_") or "not told"
        counts.setdefault((finding.suite, stage), Counter())[finding.state] += 1
    return [
        {"suite": suite, "stage": stage, "counts": states, "total": sum(states.values())}
        for (suite, stage), states in counts.items()
    ]
