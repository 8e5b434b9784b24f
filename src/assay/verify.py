"""Holds the files of a build against the frozen manifest: identical, differs, missing or not frozen.

Nothing is built and nothing believed: every file is hashed as it lies on disk. Files that no manifest lists,
such as shards, are held against what their jobs noted of them. The built manifest is read for
what hashes cannot tell: which suites were built, and which agents a file shows beyond the frozen ones. It can
only make the verdict stricter: what is excused because of it must at least be the file that was built.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import pyarrow as pa

from assay import damage
from assay.digest import TableDigests, file_digest, table_digests
from assay.errors import AssayError, NotBuilt
from assay.layout import BUILT, FROZEN
from assay.manifest import (
    EVERY_SUITE,
    Entry,
    Manifest,
    ManifestError,
    differing_columns,
    read_manifest,
)
from assay.report.links import SITE

State = Literal[
    "identical", "identical in content", "differs", "missing", "unreadable", "not frozen", "not built"
]

_GOOD: frozenset[State] = frozenset({"identical", "identical in content"})
_UNKNOWN: frozenset[State] = frozenset({"missing", "unreadable"})

BESIDE = "beside"
"""In the place of a suite: files that no manifest lists."""

INSTALLED_WRITER = f"parquet-cpp-arrow version {pa.cpp_version}"
"""How the installed pyarrow signs the files that it writes."""


@dataclass(frozen=True)
class Finding:
    """What was found about one file: `detail` in words, `columns` and `agents` where a table differs."""

    path: str
    suite: str
    state: State
    rule: str = ""
    detail: str = ""
    columns: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """All findings, in order of suite and path, what stood in the way of others, and what they rest on."""

    findings: tuple[Finding, ...]
    problems: tuple[str, ...] = ()
    frozen: str = FROZEN

    @property
    def word(self) -> str:
        """identical, differs, or could not tell."""
        states = {finding.state for finding in self.findings}
        if "differs" in states:
            return "differs"
        if self.problems or states & _UNKNOWN or not states & _GOOD:
            return "could not tell"
        return "identical"

    @property
    def exit_code(self) -> int:
        """0 identical, 1 differs, 2 could not tell."""
        return {"identical": 0, "differs": 1, "could not tell": 2}[self.word]

    def text(self) -> str:
        """What a person reads: a line a suite, a line a file that is not simply identical, the verdict."""
        return "\n".join([*self._lines(), f"verdict: {self.word}"])

    def json(self) -> str:
        """The same for a program."""
        value = {
            "verdict": self.word,
            "exit_code": self.exit_code,
            "frozen": self.frozen,
            "problems": list(self.problems),
            "files": [asdict(finding) for finding in self.findings],
        }
        return json.dumps(value, indent=1, ensure_ascii=False)

    def _lines(self) -> Iterator[str]:
        suites = list(dict.fromkeys(finding.suite for finding in self.findings))
        width = max((len(suite) for suite in suites), default=0)
        for suite in suites:
            mine = [finding for finding in self.findings if finding.suite == suite]
            counts: dict[str, int] = {}
            for finding in mine:
                counts[finding.state] = counts.get(finding.state, 0) + 1
            said = ", ".join(f"{n} {state}" for state, n in sorted(counts.items(), key=_by_weight))
            yield f"{suite:<{width}}  {said}"
            yield from _in_detail(mine)
        yield from (f"problem: {problem}" for problem in self.problems)
        if self.frozen != FROZEN:
            yield f"held against {self.frozen}"
        if any(finding.state in ("differs", *_UNKNOWN) for finding in self.findings):
            yield "next: assay verify --explain FILE says why, assay verify --repair makes the files again"


_WEIGHT = ("differs", "unreadable", "missing", "identical", "identical in content", "not frozen", "not built")


def _by_weight(count: tuple[str, int]) -> int:
    return _WEIGHT.index(count[0])


def _in_detail(findings: Iterable[Finding]) -> Iterator[str]:
    for finding in findings:
        if finding.state == "not built" or (finding.state == "identical" and not finding.detail):
            continue
        detail = f": {finding.detail}" if finding.detail else ""
        rule = f" (rule {finding.rule})" if finding.rule and finding.state == "differs" else ""
        yield f"  {finding.state}  {finding.path}{detail}{rule}"


def verify(
    root: Path | str = ".",
    built: Path | str = BUILT,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Verdict:
    """Compare the files below `root` with the frozen manifest that the built one names.

    `progress` is told the bytes hashed so far and their sum. Builds nothing, writes nothing, raises nothing
    that a file or a manifest can cause: what could not be told is in the verdict.
    """
    root = Path(root)
    problems: list[str] = []
    try:
        made: Manifest | None = read_manifest(root / built)
    except NotBuilt:
        made = None
    except ManifestError as problem:
        made = None
        problems.append(f"{problem.message}; {problem.remedy}")
    problems += [f"{suite}: not built: {why}" for suite, why in (made.left_out if made else {}).items()]
    frozen = made.frozen if made else FROZEN
    try:
        expected = read_manifest(root / frozen)
    except (NotBuilt, ManifestError) as problem:
        return Verdict((), (*problems, f"{problem.message}; {problem.remedy}"), frozen)
    listed = _findings(root, expected, made, progress)
    beside = _damaged(root, {finding.path for finding in listed if finding.state != "not built"})
    return Verdict((*listed, *beside), tuple(problems), frozen)


def _damaged(root: Path, listed: Collection[str]) -> tuple[Finding, ...]:
    """The files beside those listed that are not what their jobs made."""
    return tuple(
        Finding(found.path, BESIDE, "differs", detail=found.what) for found in damage.find(root, but=listed)
    )


def check(root: Path, entry: Entry, built: Manifest | None = None) -> Finding:
    """Compare one file with its frozen entry."""
    return _judge(root, entry, built, _hash(root / entry.path))


def _findings(
    root: Path, frozen: Manifest, built: Manifest | None, progress: Callable[[int, int], None]
) -> tuple[Finding, ...]:
    entries = [entry for entry in frozen.files.values() if _is_built(entry, frozen, built)]
    beyond = [entry for path, entry in (built.files if built else {}).items() if path not in frozen.files]
    found = {
        path: Finding(path, entry.suite, "not built")
        for path, entry in frozen.files.items()
        if not _is_built(entry, frozen, built)
    }
    digests = _hash_all(root, [entry.path for entry in [*entries, *beyond]], progress)
    for entry in entries:
        found[entry.path] = _judge(root, entry, built, digests[entry.path])
    for entry in beyond:
        found[entry.path] = _judge_unfrozen(entry, digests[entry.path])
    return tuple(sorted(found.values(), key=lambda finding: (finding.suite, finding.path)))


def _is_built(entry: Entry, frozen: Manifest, built: Manifest | None) -> bool:
    """Whether the build was asked for this file: not where its suite is left out of the configuration."""
    if built is None:
        return True
    if entry.suite == EVERY_SUITE:
        # It shows all suites at once: other suites, another file.
        return set(frozen.suites) == set(built.suites)
    return entry.suite in built.suites


# ------------------------------------------------------------ hashing


_Digest = str | OSError
"""The hash of a file, or why there is none."""


def _hash(path: Path) -> _Digest:
    try:
        return file_digest(path)
    except OSError as problem:
        return problem


def _hash_all(root: Path, paths: list[str], progress: Callable[[int, int], None]) -> dict[str, _Digest]:
    sizes = {path: (root / path).stat().st_size if (root / path).is_file() else 0 for path in paths}
    total, done = sum(sizes.values()), 0
    digests: dict[str, _Digest] = {}
    # hashlib works outside the interpreter's lock; the largest first, so that all threads end together.
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        order = sorted(paths, key=lambda path: (-sizes[path], path))
        for path, digest in zip(order, pool.map(_hash, (root / path for path in order)), strict=True):
            digests[path] = digest
            done += sizes[path]
            progress(done, total)
    return digests


# ------------------------------------------------------------ judging


def _judge(root: Path, entry: Entry, built: Manifest | None, digest: _Digest) -> Finding:
    if isinstance(digest, OSError):
        return _not_readable(entry, digest)
    if digest == entry.sha256:
        return _finding(entry, "identical")
    mine = built.files.get(entry.path) if built else None
    finding = _judge_table(root, entry, mine) if entry.kind == "table" else _judge_whole(entry, mine)
    if finding.state != "differs" and mine is not None and mine.sha256 != digest:
        return _finding(entry, "differs", f"changed since it was built, or built after {BUILT}")
    return finding


def _judge_unfrozen(entry: Entry, digest: _Digest) -> Finding:
    if isinstance(digest, OSError):
        return _not_readable(entry, digest)
    if digest != entry.sha256:
        return _finding(
            entry, "differs", f"not frozen, and not what {BUILT} says: changed since it was built"
        )
    return _finding(entry, "not frozen", ", ".join(entry.agents) if len(entry.agents) == 1 else "")


def _judge_whole(entry: Entry, mine: Entry | None, columns: Iterable[str] = ()) -> Finding:
    """A file that shows all agents at once and differs: excused only where it shows other agents."""
    new = _beyond(entry, mine)
    if new:
        return _finding(entry, "not frozen", f"shows {', '.join(new)}", columns)
    gone = [agent for agent in entry.agents if agent not in mine.agents] if mine else []
    if gone:
        return _finding(entry, "missing", f"made without {', '.join(gone)}", columns)
    return _finding(entry, "differs", _named(columns) if columns else "", columns)


def _judge_table(root: Path, entry: Entry, mine: Entry | None) -> Finding:
    try:
        found = table_digests(root / entry.path, entry.partition)
    except AssayError as problem:
        return _finding(entry, "differs", problem.message.removeprefix(f"{root / entry.path} "))
    if found.unreadable:
        name, why = next(iter(found.unreadable.items()))
        intact = {
            column: digest for column, digest in entry.columns.items() if column not in found.unreadable
        }
        others = [] if _beyond(entry, mine) else differing_columns(intact, found.columns)
        columns = [*found.unreadable, *others]
        return _finding(entry, "differs", f"{_named(columns)}; {name} cannot be read ({why})", columns)
    columns = differing_columns(entry.columns, found.columns)
    if not columns:
        return _judge_equal_content(entry, found)
    if entry.partition is None:
        return _judge_whole(entry, mine, columns)
    if found.columns.keys() == entry.columns.keys():
        new = [agent for agent in found.parts if agent not in entry.agents]
        gone = [agent for agent in entry.agents if entry.part(agent) and agent not in found.parts]
        if new or gone:
            return _judge_parts(entry, mine, found, new, gone)
        agents = [agent for agent in entry.agents if entry.part(agent) != found.parts.get(agent)]
        of = f" (rows of {', '.join(agents)})" if agents else ""
        return _finding(entry, "differs", _named(columns) + of, columns, agents)
    return _finding(entry, "differs", _named(columns), columns)


def _judge_parts(
    entry: Entry, mine: Entry | None, found: TableDigests, new: list[str], gone: list[str]
) -> Finding:
    """A partitioned table that shows other agents than the frozen one: its frozen agents' rows decide."""
    differing = {
        agent: differing_columns(entry.part(agent) or {}, found.parts.get(agent, {}))
        for agent in entry.agents
        if agent not in gone
    }
    differing = {agent: columns for agent, columns in differing.items() if columns}
    if differing:
        columns = list(dict.fromkeys(name for names in differing.values() for name in names))
        agents = list(differing)
        return _finding(entry, "differs", f"{_named(columns)} (rows of {', '.join(agents)})", columns, agents)
    if gone:
        detail = f"no rows of {', '.join(gone)}"
        if mine is not None and not set(gone) & set(mine.agents):
            return _finding(entry, "missing", f"made without {', '.join(gone)}", agents=gone)
        return _finding(entry, "differs", detail, agents=gone)
    return _finding(entry, "identical", f"for what is frozen; not frozen: {', '.join(new)}", agents=new)


def _judge_equal_content(entry: Entry, found: TableDigests) -> Finding:
    """Equal columns in other bytes: to be expected of another writer, and of nothing else."""
    if found.writer == entry.writer:
        return _finding(
            entry, "differs", "equal columns in other bytes of the same writer: the file is damaged"
        )
    if found.writer != INSTALLED_WRITER:
        return _finding(
            entry,
            "differs",
            f"equal columns, but signed {found.writer!r}, neither frozen ({entry.writer!r}) nor installed"
            f" ({INSTALLED_WRITER!r}): the file is damaged, or was made elsewhere",
        )
    return _finding(entry, "identical in content", f"written by {found.writer}, frozen from {entry.writer}")


def _beyond(entry: Entry, mine: Entry | None) -> list[str]:
    """The agents that a built file shows beyond the frozen ones."""
    return [agent for agent in (mine.agents if mine else ()) if agent not in entry.agents]


def _not_readable(entry: Entry, problem: OSError) -> Finding:
    if isinstance(problem, FileNotFoundError):
        return _finding(entry, "missing")
    return _finding(entry, "unreadable", problem.strerror or str(problem))


def _named(columns: Iterable[str]) -> str:
    columns = list(columns)
    return f"{'column' if len(columns) == 1 else 'columns'} {', '.join(columns)}"


def _finding(
    entry: Entry, state: State, detail: str = "", columns: Iterable[str] = (), agents: Iterable[str] = ()
) -> Finding:
    return Finding(entry.path, entry.suite, state, entry.rule, detail, tuple(columns), tuple(agents))


# ------------------------------------------------------------ the command


class _Bar:
    """Tells a person at a terminal how far the hashing is, once it has taken a second."""

    def __init__(self) -> None:
        self._start, self._shown = time.monotonic(), False

    def __call__(self, done: int, total: int) -> None:
        if sys.stderr.isatty() and time.monotonic() - self._start > 1:
            self._shown = True
            print(f"\rhashed {done / 1e9:.1f} of {total / 1e9:.1f} GB", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `assay verify`."""
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (default: this folder)")
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "--explain", metavar="FILE", help="make FILE again aside, and say what differs and who is right"
    )
    choice.add_argument(
        "--repair",
        metavar="FILE",
        nargs="*",
        help="delete FILE (default: all that differ or are missing), make them again, then verify",
    )
    parser.add_argument("--cores", default="all", help="for --explain and --repair (default: all)")
    parser.add_argument(
        "--configfile",
        action="append",
        default=[],
        help="for --explain and --repair: the configuration of the build, where it is not the default one",
    )


def main(args: argparse.Namespace) -> int:
    """Verify, explain or repair; returns 0 identical, 1 differs, 2 could not tell."""
    if args.explain is not None or args.repair is not None:
        from assay import remake  # it needs this module

        builder = remake.snakemake(args.cores, args.configfile)
        print("running snakemake; this takes as long as the build does", file=sys.stderr)
        if args.explain is not None:
            explanation = remake.explain(args.root, args.explain, builder)
            print(explanation.json() if args.json else explanation.text())
            return explanation.exit_code
        remake.repair(args.root, args.repair, builder)
    bar = _Bar()
    verdict = verify(args.root, progress=bar)
    bar.close()
    if (args.root / SITE).is_dir():
        from assay.report import verdict_page  # templates; without a site they are not needed

        verdict_page.write(args.root, verdict)
    print(verdict.json() if args.json else verdict.text())
    return verdict.exit_code
