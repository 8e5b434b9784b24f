"""The page of the verdict: what one machine found, so it is written by `assay verify` and not promised.

A build puts a page in its place that says that nothing was compared since.
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
    *("identical", "identical in content", "identical for frozen agents"),
    *("differs", "missing", "unreadable", "not compared", "not frozen", "not built"),
)
GOOD = 3
"""How many of these, the first ones, need no line of their own."""
LISTED = 500
"""Files that are not identical, listed one by one at most."""

_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==(\S+?)(?: ;.*)?\s*\\?$", re.MULTILINE)


def write(root: Path, verdict: Verdict) -> None:
    """Write the page of a verdict into the site below `root`; where there is no site, nothing.

    `WriteError` where it cannot be written.
    """
    index = root / links.SITE / links.INDEX
    if index.is_file():
        suites = sorted(path.stem for path in (index.parent / "suites").glob("*.html"))
        write_whole(index.with_name(links.VERDICT), render(root, suites, verdict))


def render(root: Path, suites: list[str], verdict: Verdict | None) -> str:
    """The page of a verdict, or that of a build of these suites of which nothing was compared yet."""
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
    """How many files of each suite and stage are in which state, in the order of the findings."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for finding in verdict.findings:
        stage = finding.rule.removeprefix("merge_") or "not told"
        counts.setdefault((finding.suite, stage), Counter())[finding.state] += 1
    return [
        {"suite": suite, "stage": stage, "counts": found, "total": sum(found.values())}
        for (suite, stage), found in counts.items()
    ]
