"""Compares the files of a build with the frozen manifest, and states the verdict.

Nothing is built, and every listed file is hashed again. Files that no manifest lists, such as shards, are
compared with the hashes that their jobs recorded. The built manifest tells which suites were built and which
added agents a file shows. A file that need not equal the frozen one, because it shows added agents, must have
the hash that the built manifest lists.

A file that shows added agents cannot equal the frozen one. If it is a table with a partition, the rows of the
frozen agents are compared. For any other file, the build contains a second version made from the frozen
agents alone (`Manifest.over_frozen_agents`), which is compared instead. A file without such a version is not
compared, and the verdict states the number of these files.

The same holds for a task set that was read from files of the user: of tables with a column `task_set`, the
other rows are compared, unless a table shows several agents. Any other file that differs is not compared.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import pyarrow as pa

from assay.build import damage
from assay.build.paths import AGGREGATES, BUILT
from assay.build.store import FROZEN_VIEW
from assay.config.places import FROZEN
from assay.errors import AssayError, NotBuilt
from assay.tables.digest import TableDigests, file_digest, table_digests
from assay.verdict.manifest import (
    EVERY_SUITE,
    Entry,
    Manifest,
    ManifestError,
    differing_columns,
    read_manifest,
)

State = Literal[
    "identical",
    "identical in content",
    "identical for frozen agents",
    "identical for frozen sets",
    "differs",
    "missing",
    "unreadable",
    "not compared",
    "not frozen",
    "not built",
]

Word = Literal["identical", "identical where comparable", "differs", "could not tell"]

EXIT_CODES: dict[Word, int] = {
    "identical": 0,
    "differs": 1,
    "could not tell": 2,
    "identical where comparable": 3,
}

IN_PART: frozenset[State] = frozenset({"identical for frozen agents", "identical for frozen sets"})
GOOD: frozenset[State] = frozenset({"identical", "identical in content", *IN_PART})
_UNKNOWN: frozenset[State] = frozenset({"missing", "unreadable"})

BESIDE = "beside"
"""Used in place of the suite for files that no manifest lists."""

INSTALLED_WRITER = f"parquet-cpp-arrow version {pa.cpp_version}"
"""The writer that the installed pyarrow records in the footer of Parquet files."""


@dataclass(frozen=True)
class Finding:
    """The state of one file.

    Attributes:
        path: The file, relative to the checkout.
        suite: Its suite, `EVERY_SUITE` or `BESIDE`.
        state: The result of its comparison with the frozen file.
        rule: The rule that makes it.
        detail: The difference in words.
        columns: The columns that differ.
        agents: The agents whose rows differ or are missing. For a file that could not be compared as a whole,
            the added agents that it shows.
    """

    path: str
    suite: str
    state: State
    rule: str = ""
    detail: str = ""
    columns: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """The result of `verify`.

    Attributes:
        findings: One finding for each file, sorted by suite and path.
        problems: Reasons why something could not be compared.
        frozen: The path of the frozen manifest with which the build was compared.
    """

    findings: tuple[Finding, ...]
    problems: tuple[str, ...] = ()
    frozen: str = FROZEN

    @property
    def word(self) -> Word:
        """The verdict in one of four phrases, without numbers."""
        states = {finding.state for finding in self.findings}
        if "differs" in states:
            return "differs"
        if self.problems or states & _UNKNOWN or not states & GOOD:
            return "could not tell"
        return "identical where comparable" if self.not_compared else "identical"

    @property
    def by_suite(self) -> dict[str, Word]:
        """The verdict on each suite, and on the files that show all suites, under `EVERY_SUITE`."""
        suites = {finding.suite for finding in self.findings if finding.state != "not built"}
        return {
            suite: replace(self, findings=tuple(each for each in self.findings if each.suite == suite)).word
            for suite in sorted(suites - {BESIDE})
        }

    @property
    def not_compared(self) -> int:
        """Number of files that show added agents or released sets and could therefore not be compared."""
        return sum(finding.state == "not compared" for finding in self.findings)

    @property
    def over_frozen_agents(self) -> int:
        """Number of files that show added agents, for which only the frozen agents were compared."""
        return sum(finding.state == "identical for frozen agents" for finding in self.findings)

    @property
    def added(self) -> list[str]:
        """The added agents that the files show, sorted."""
        return sorted(
            {
                agent
                for finding in self.findings
                if finding.state in ("identical for frozen agents", "not compared")
                for agent in finding.agents
            }
        )

    @property
    def sentence(self) -> str:
        """The verdict with the number of files that were not compared."""
        n = self.not_compared
        return f"{self.word}{f'; {n} {_files(n)} not compared' if n else ''}"

    @property
    def exit_code(self) -> int:
        """The exit code of `assay verify`, from `EXIT_CODES`."""
        return EXIT_CODES[self.word]

    def text(self) -> str:
        """The verdict as text, with a line for each suite and for each file that is not identical."""
        return "\n".join([*self._lines(), f"verdict: {self.sentence}"])

    def json(self) -> str:
        """The verdict as JSON text."""
        value = {
            "verdict": self.word,
            "exit_code": self.exit_code,
            "frozen": self.frozen,
            "not_compared": self.not_compared,
            "added": self.added,
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
            numbers = ", ".join(f"{n} {state}" for state, n in sorted(counts.items(), key=_by_weight))
            yield f"{suite:<{width}}  {numbers}"
            yield from _in_detail(mine)
        yield from (f"problem: {problem}" for problem in self.problems)
        if n := self.over_frozen_agents:
            verb = "shows" if n == 1 else "show"
            names = ", ".join(self.added)
            yield f"{n} {_files(n)} that {verb} added agents ({names}): compared for frozen agents"
        if self.frozen != FROZEN:
            yield f"held against {self.frozen}"
        if any(finding.state in ("differs", *_UNKNOWN) for finding in self.findings):
            yield "next: assay verify --explain FILE says why, assay verify --repair makes the files again"


_WEIGHT = (
    *("differs", "unreadable", "missing", "not compared"),
    *("identical", "identical in content", "identical for frozen agents", "identical for frozen sets"),
    *("not frozen", "not built"),
)


def _files(number: int) -> str:
    return "file" if number == 1 else "files"


def _by_weight(count: tuple[str, int]) -> int:
    return _WEIGHT.index(count[0])


def _in_detail(findings: Iterable[Finding]) -> Iterator[str]:
    for finding in findings:
        silent = finding.state == "not built" or finding.state in IN_PART
        if silent or (finding.state == "identical" and not finding.detail):
            continue
        detail = f": {finding.detail}" if finding.detail else ""
        rule = f" (rule {finding.rule})" if finding.rule and finding.state == "differs" else ""
        yield f"  {finding.state}  {finding.path}{detail}{rule}"


def verify(
    root: Path | str = ".",
    built: Path | str = BUILT,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Verdict:
    """Compare the files of a checkout with the frozen manifest that the built manifest names.

    Args:
        root: The checkout.
        built: The built manifest, relative to `root`.
        progress: Function that is called with the number of bytes hashed so far and in total.

    Returns:
        The verdict. Its findings and problems report damaged or missing files and manifests, for which no
        exception is raised. Nothing is built or written.
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
    """Find files that no manifest lists and whose hashes differ from those that their jobs recorded."""
    return tuple(
        Finding(file.path, BESIDE, "differs", detail=file.what) for file in damage.find(root, but=listed)
    )


def check(root: Path, entry: Entry, built: Manifest | None = None) -> Finding:
    """Compare one file with its frozen entry."""
    return _judge(root, entry, built, lambda path: _hash(root / path))


def _findings(
    root: Path, frozen: Manifest, built: Manifest | None, progress: Callable[[int, int], None]
) -> tuple[Finding, ...]:
    entries = [entry for entry in frozen.files.values() if _is_built(entry, frozen, built)]
    beyond = [entry for path, entry in (built.files if built else {}).items() if path not in frozen.files]
    findings = {
        path: Finding(path, entry.suite, "not built")
        for path, entry in frozen.files.items()
        if not _is_built(entry, frozen, built)
    }
    digests = _hash_all(root, [entry.path for entry in [*entries, *beyond]], progress)
    for entry in entries:
        findings[entry.path] = _judge(root, entry, built, digests.__getitem__)
    for entry in beyond:
        # A version made from the frozen agents alone has no finding of its own: it is compared in place of
        # the file that shows all agents.
        original = frozen.files.get(entry.path.removeprefix(FROZEN_VIEW))
        if original is None or not _is_built(original, frozen, built):
            findings[entry.path] = _judge_unfrozen(entry, digests[entry.path])
    return tuple(sorted(findings.values(), key=lambda finding: (finding.suite, finding.path)))


def _is_built(entry: Entry, frozen: Manifest, built: Manifest | None) -> bool:
    """Whether the configuration of the build includes this file."""
    if built is None:
        return True
    if entry.suite == EVERY_SUITE:
        # A file over all suites can only be equal if the same suites were built.
        return set(frozen.suites) == set(built.suites)
    return entry.suite in built.suites


# ------------------------------------------------------------ hashing


_Digest = str | OSError
"""The hash of a file, or the error that prevented it."""


def _hash(path: Path) -> _Digest:
    try:
        return file_digest(path)
    except OSError as problem:
        return problem


def _hash_all(root: Path, paths: list[str], progress: Callable[[int, int], None]) -> dict[str, _Digest]:
    sizes = {path: (root / path).stat().st_size if (root / path).is_file() else 0 for path in paths}
    total, done = sum(sizes.values()), 0
    digests: dict[str, _Digest] = {}
    # Threads run in parallel, because hashlib releases the interpreter lock. The largest files come first, so
    # that no thread is left with a large file at the end.
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        order = sorted(paths, key=lambda path: (-sizes[path], path))
        for path, digest in zip(order, pool.map(_hash, (root / path for path in order)), strict=True):
            digests[path] = digest
            done += sizes[path]
            progress(done, total)
    return digests


# ------------------------------------------------------------ judging


def _judge(root: Path, entry: Entry, built: Manifest | None, digest_of: Callable[[str], _Digest]) -> Finding:
    digest = digest_of(entry.path)
    if isinstance(digest, OSError):
        return _not_readable(entry, digest)
    if digest == entry.sha256:
        return _finding(entry, "identical")
    mine = built.files.get(entry.path) if built else None
    finding = _judge_table(root, entry, mine) if entry.kind == "table" else _judge_whole(entry, mine)
    if finding.state != "differs" and mine is not None and mine.sha256 != digest:
        return _finding(entry, "differs", f"changed since it was built, or built after {BUILT}")
    released = built.released_sets(entry.suite) if built else ()
    if finding.state == "differs" and released and mine is not None and mine.sha256 == digest:
        finding = _judge_other_sets(root, entry, mine, released)
    if finding.state == "not compared" and built is not None:
        second = built.over_frozen_agents(entry.path)
        if second is not None:
            alone = replace(built, files={second.path: second})
            return _judge_second(root, entry, alone, digest_of(second.path), finding.agents)
    return finding


def _judge_other_sets(root: Path, entry: Entry, mine: Entry, released: tuple[str, ...]) -> Finding:
    """Judge a file that differs and may show released sets, by the rows of all other sets."""
    if entry.kind != "table" or entry.rule in AGGREGATES or "task_set" not in entry.columns:
        return _finding(entry, "not compared", f"shows {', '.join(released)}")
    return _judge_table(root, entry, mine, released)


def _judge_second(
    root: Path, entry: Entry, alone: Manifest, digest: _Digest, added: tuple[str, ...]
) -> Finding:
    """Compare the version made from the frozen agents alone, in place of the file with added agents."""
    if digest == entry.sha256:
        return _finding(entry, "identical for frozen agents", agents=added)
    (second,) = alone.files.values()
    finding = _judge(root, replace(entry, path=second.path), alone, lambda path: digest)
    return replace(
        finding, path=entry.path, detail=f"over the frozen agents: {finding.detail or second.path}"
    )


def _judge_unfrozen(entry: Entry, digest: _Digest) -> Finding:
    if isinstance(digest, OSError):
        return _not_readable(entry, digest)
    if digest != entry.sha256:
        return _finding(
            entry, "differs", f"not frozen, and not what {BUILT} says: changed since it was built"
        )
    return _finding(entry, "not frozen", ", ".join(entry.agents) if len(entry.agents) == 1 else "")


def _judge_whole(entry: Entry, mine: Entry | None, columns: Iterable[str] = ()) -> Finding:
    """Judge a file that differs from the frozen one and cannot be compared agent by agent."""
    new = _beyond(entry, mine)
    if new:
        return _finding(entry, "not compared", f"shows {', '.join(new)}", columns, new)
    gone = [agent for agent in entry.agents if agent not in mine.agents] if mine else []
    if gone:
        return _finding(entry, "missing", f"made without {', '.join(gone)}", columns)
    return _finding(entry, "differs", _named(columns) if columns else "", columns)


def _judge_table(root: Path, entry: Entry, mine: Entry | None, without: Collection[str] = ()) -> Finding:
    """Judge a table by its columns; rows of the task sets in `without` are passed over."""
    try:
        digests = table_digests(root / entry.path, entry.partition, without)
    except AssayError as problem:
        return _finding(entry, "differs", problem.message.removeprefix(f"{root / entry.path} "))
    if digests.unreadable:
        name, why = next(iter(digests.unreadable.items()))
        intact = {
            column: digest for column, digest in entry.columns.items() if column not in digests.unreadable
        }
        others = [] if _beyond(entry, mine) else differing_columns(intact, digests.columns)
        columns = [*digests.unreadable, *others]
        return _finding(entry, "differs", f"{_named(columns)}; {name} cannot be read ({why})", columns)
    columns = differing_columns(entry.columns, digests.columns)
    if not columns:
        state: State = "identical for frozen sets"
        return _finding(entry, state) if without else _judge_equal_content(entry, digests)
    if entry.partition is None:
        return _judge_whole(entry, mine, columns)
    if digests.columns.keys() == entry.columns.keys():
        new = [agent for agent in digests.parts if agent not in entry.agents]
        gone = [agent for agent in entry.agents if entry.part(agent) and agent not in digests.parts]
        if new or gone:
            return _judge_parts(entry, mine, digests, new, gone)
        agents = [agent for agent in entry.agents if entry.part(agent) != digests.parts.get(agent)]
        of = f" (rows of {', '.join(agents)})" if agents else ""
        return _finding(entry, "differs", _named(columns) + of, columns, agents)
    return _finding(entry, "differs", _named(columns), columns)


def _judge_parts(
    entry: Entry, mine: Entry | None, digests: TableDigests, new: list[str], gone: list[str]
) -> Finding:
    """Judge a partitioned table with other agents than the frozen one, by the rows of the frozen agents."""
    differing = {
        agent: differing_columns(entry.part(agent) or {}, digests.parts.get(agent, {}))
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
    return _finding(entry, "identical for frozen agents", agents=new)


def _judge_equal_content(entry: Entry, digests: TableDigests) -> Finding:
    """Judge a table with equal columns but another hash.

    Only another version of pyarrow explains this; otherwise the file is damaged.
    """
    if digests.writer == entry.writer:
        return _finding(
            entry, "differs", "equal columns in other bytes of the same writer: the file is damaged"
        )
    if digests.writer != INSTALLED_WRITER:
        return _finding(
            entry,
            "differs",
            f"equal columns, but signed {digests.writer!r}, neither frozen ({entry.writer!r}) nor installed"
            f" ({INSTALLED_WRITER!r}): the file is damaged, or was made elsewhere",
        )
    return _finding(entry, "identical in content", f"written by {digests.writer}, frozen from {entry.writer}")


def _beyond(entry: Entry, mine: Entry | None) -> list[str]:
    """The agents that a built file shows and the frozen file does not."""
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
