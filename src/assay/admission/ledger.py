"""The ledger: what a host has announced, admitted, refused and removed, as lines that are only ever added.

Each line is canonical JSON. It holds the sha256 of the line before it (`previous`) and of its own other
fields (`sha256`), so that a changed, dropped or swapped line is found and named. Whoever can rewrite the
whole file can make a consistent one; the hash of the last line, published elsewhere, shows that, too.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from assay import canonical
from assay.errors import AssayError, WriteError
from assay.surrogates import has_surrogates
from assay.writing import write_whole

FILE = "ledger.jsonl"
FIRST = "0" * 64
"""The value of `previous` in the first line, which has no line before it."""

Kind = Literal[
    "announce", "commit", "admit", "refuse", "remove", "rescore", "reveal", "confirm", "rebuild", "key"
]
KEYS = frozenset({"n", "previous", "kind", "date", "subject", "by", "reason", "facts", "sha256"})

FACTS: Mapping[Kind, frozenset[str]] = {
    "announce": frozenset({"agent", "entry_sha256", "sets", "attempts"}),
    "commit": frozenset({"set", "sha256"}),
    "admit": frozenset(
        {
            "agent",
            "entry_sha256",
            "sets",
            "attempts",
            "episodes",
            "missing",
            "notes",
            "rungs",
            "key",
            "scores",
        }
    ),
    "refuse": frozenset({"code", "place"}),
    "remove": frozenset({"line"}),
    "rescore": frozenset({"version"}),
    "reveal": frozenset({"set", "secret"}),
    "confirm": frozenset({"fresh_set", "tasks", "public", "fresh", "difference", "high", "limit"}),
    "rebuild": frozenset({"key", "manifest", "identical", "suites", "rows"}),
    "key": frozenset({"key", "public", "role"}),
}
"""The names of the facts in a line of each kind."""

DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")


class LedgerError(AssayError):
    """A ledger is damaged, or a line cannot be added to it."""


@dataclass(frozen=True)
class Line:
    """One line of a ledger.

    Attributes:
        n: Its number, from 0.
        kind: What was decided.
        date: The date that the host gave, YYYY-MM-DD.
        subject: What it is about: the root of a bundle, the hash of an entry, a task set, a key.
        by: Who wrote the line, in the host's words.
        reason: Why, in words.
        facts: What programs read, see `FACTS`.
        sha256: The hash of the whole line, which the next line holds.
    """

    n: int
    kind: Kind
    date: str
    subject: str
    by: str
    reason: str
    facts: Mapping[str, Any]
    sha256: str


@dataclass(frozen=True)
class Ledger:
    """A ledger in a folder.

    Attributes:
        folder: The folder with the file and with the admitted bundles.
        lines: Its lines, in order.
    """

    folder: Path
    lines: tuple[Line, ...]

    @classmethod
    def read(cls, folder: Path) -> Ledger:
        """Read a ledger, and check that its lines belong together; a folder without a ledger has no lines.

        Raises:
            LedgerError: If a line is damaged, dropped, swapped or out of order. The message names it.
        """
        path = folder / FILE
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return cls(folder, ())
        except (OSError, UnicodeDecodeError) as problem:
            raise LedgerError(f"{path} cannot be read ({problem})", "restore the file from git") from problem
        if text and not text.endswith("\n"):
            raise damaged(path, text.count("\n"), "the line is cut off")
        lines: list[Line] = []
        for number, raw in enumerate(text.splitlines()):
            lines.append(_parsed(path, number, raw, lines[-1] if lines else None))
        return cls(folder, tuple(lines))

    @property
    def head(self) -> str:
        """The hash of the last line."""
        return self.lines[-1].sha256 if self.lines else FIRST

    def of(self, *kinds: Kind) -> Iterator[Line]:
        """Yield the lines of these kinds, in order."""
        return (line for line in self.lines if line.kind in kinds)

    @property
    def removed(self) -> Mapping[int, Line]:
        """The lines that remove admissions, by the number of the admission."""
        return {line.facts["line"]: line for line in self.of("remove")}

    @property
    def admitted(self) -> tuple[Line, ...]:
        """The admissions that were not removed."""
        removed = self.removed
        return tuple(line for line in self.of("admit") if line.n not in removed)

    def key(self, key: str) -> Line | None:
        """Return the line that registered a key, by its identifier."""
        return next((line for line in self.of("key") if line.facts["key"] == key), None)

    def added(
        self, kind: Kind, *, date: str, subject: str, by: str, reason: str = "", facts: Mapping[str, Any]
    ) -> Ledger:
        """Return the ledger with one more line; nothing is written.

        Raises:
            LedgerError: If the date is no date or lies before the last line's, or facts are missing.
        """
        self.check_date(date)
        if facts.keys() != FACTS[kind]:
            raise LedgerError(f"a line {kind} has the facts {', '.join(sorted(FACTS[kind]))}", "give these")
        body = _body(len(self.lines), self.head, kind, date, subject, by, reason, facts)
        return Ledger(self.folder, (*self.lines, _line(body)))

    def check_date(self, date: str) -> None:
        """Raise `LedgerError` if the date is no date or lies before the last line's."""
        if not DATE.fullmatch(date):
            raise LedgerError(f"{date!r} is no date", "give it as YYYY-MM-DD: --date 2026-03-01")
        if self.lines and date < self.lines[-1].date:
            raise LedgerError(
                f"the last line of the ledger is of {self.lines[-1].date}, later than {date}",
                "a ledger is written in the order of its dates; give today's date",
            )

    def text(self) -> str:
        """The text of the file."""
        texts, previous = [], FIRST
        for line in self.lines:
            body = _body(
                line.n, previous, line.kind, line.date, line.subject, line.by, line.reason, line.facts
            )
            texts.append(_text(body) + "\n")
            previous = line.sha256
        return "".join(texts)

    def write(self) -> None:
        """Write the file whole or not at all.

        Raises:
            WriteError: If the file cannot be written.
        """
        write_whole(self.folder / FILE, self.text())


@contextmanager
def locked(folder: Path) -> Iterator[Ledger]:
    """Read a ledger for a change; no other process can change it until the block ends.

    Raises:
        LedgerError: If another process is changing it, or it is damaged.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as problem:
        raise WriteError(
            f"{folder} cannot be written ({problem.strerror})", "name a folder of your own"
        ) from problem
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as problem:
            raise LedgerError(
                f"{folder} is being changed by another process", "wait until it has ended"
            ) from problem
        yield Ledger.read(folder)
    finally:
        os.close(lock)


def damaged(path: Path, number: int, reason: str) -> LedgerError:
    """Return the error for a damaged line, counted from 0 as in the line itself."""
    return LedgerError(
        f"{path}, line {number}: {reason}",
        "restore the file from git or a copy; lines are only ever added, never changed",
    )


def _body(
    n: int,
    previous: str,
    kind: str,
    date: str,
    subject: str,
    by: str,
    reason: str,
    facts: Mapping[str, Any],
) -> dict[str, Any]:
    return {
        "n": n,
        "previous": previous,
        "kind": kind,
        "date": date,
        "subject": subject,
        "by": by,
        "reason": reason,
        "facts": dict(facts),
    }


def _text(body: Mapping[str, Any]) -> str:
    return canonical.dumps({**body, "sha256": canonical.digest(dict(body))})


def _line(body: Mapping[str, Any]) -> Line:
    fields = {name: body[name] for name in ("n", "kind", "date", "subject", "by", "reason", "facts")}
    return Line(**fields, sha256=hashlib.sha256(_text(body).encode()).hexdigest())


def _parsed(path: Path, number: int, raw: str, before: Line | None) -> Line:
    """Return a line of the file; raise `LedgerError` if it is not what the lines before it allow."""
    try:
        value = canonical.loads(raw)
        written = canonical.dumps(value)  # fails for a number that is too large, which was read as infinite
    except ValueError as problem:
        raise damaged(path, number, f"it is not JSON ({problem})") from problem
    if not isinstance(value, dict) or value.keys() != KEYS:
        raise damaged(path, number, f"it does not have the fields {', '.join(sorted(KEYS))}")
    if has_surrogates(written):
        raise damaged(path, number, "it holds half of a surrogate pair")
    body = {name: value[name] for name in value if name != "sha256"}
    for wrong, reason in _faults(value, body, raw, number, before):
        if wrong:
            raise damaged(path, number, reason)
    return _line(body)


def _faults(
    value: Mapping[str, Any], body: Mapping[str, Any], raw: str, number: int, before: Line | None
) -> Iterator[tuple[bool, str]]:
    """Yield whether each possible fault is there, and its description."""
    texts = ("previous", "kind", "date", "subject", "by", "reason", "sha256")
    yield any(not isinstance(value[name], str) for name in texts), "a field holds no text"
    yield value["n"] != number or type(value["n"]) is not int, f"it is numbered {value['n']}"
    previous = FIRST if before is None else before.sha256
    yield value["previous"] != previous, "it does not hold the hash of the line before it"
    yield canonical.digest(dict(body)) != value["sha256"], "its content was changed: it has another sha256"
    yield canonical.dumps(dict(value)) != raw, "it is not canonical JSON"
    yield value["kind"] not in get_args(Kind), f"there is no kind {value['kind']!r}"
    facts = value["facts"]
    required: Any = FACTS.get(value["kind"], frozenset())
    yield (
        not isinstance(facts, dict) or facts.keys() != required,
        f"its facts are not those of {value['kind']}",
    )
    yield not DATE.fullmatch(value["date"]), f"{value['date']!r} is no date"
    yield before is not None and value["date"] < before.date, "it is earlier than the line before it"


def words(line: Line) -> str:
    """Return what a line is about, in a few words."""
    facts = line.facts
    texts = {
        "admit": lambda: f"{facts['agent']}: {facts['episodes']} recordings of {', '.join(facts['sets'])}",
        "announce": lambda: f"{facts['agent']}: {facts['attempts']} attempts at {', '.join(facts['sets'])}",
        "remove": lambda: f"the admission of line {facts['line']}",
        "key": lambda: f"{facts['role']} {line.subject}",
        "confirm": lambda: (
            f"{line.subject[:12]}: public less fresh {facts['difference']:g} in {facts['fresh_set']}, "
            f"below {facts['high']:g} with 95 %, on {facts['tasks']} tasks"
        ),
        "rebuild": lambda: (
            f"{'identical' if facts['identical'] else 'not identical'}, key {facts['key'][:12]}"
        ),
        "rescore": lambda: f"version {facts['version']}",
    }
    return texts.get(line.kind, lambda: line.subject[:40])()


def check(ledger: Ledger, bundles: Sequence[str], absent: Sequence[str] = ()) -> list[str]:
    """Return what is wrong with a ledger beyond its chain, one sentence each, with the number of the line.

    Args:
        ledger: The ledger.
        bundles: The roots of the bundles that are here.
        absent: The roots of admitted bundles that are named as kept elsewhere.
    """
    from assay.admission import rungs  # the ladder reads ledgers

    problems: list[str] = []
    here, seen, removed = {*bundles, *absent}, set(), set()
    for line in ledger.lines:
        if line.kind == "admit":
            seen.add(line.subject)
            if line.subject not in here:
                problems.append(f"line {line.n}: the admitted bundle {line.subject[:12]} is not here")
            before = Ledger(ledger.folder, ledger.lines[: line.n])
            possible = rungs.at_admission(before, line.facts)
            if list(line.facts["rungs"]) != possible:
                claimed = ", ".join(line.facts["rungs"]) or "none"
                problems.append(
                    f"line {line.n}: its rungs are {claimed}; the lines before it give {', '.join(possible)}"
                )
        elif line.kind == "remove":
            number = line.facts["line"]
            target = ledger.lines[number] if type(number) is int and 0 <= number < line.n else None
            if target is None or target.kind != "admit" or number in removed:
                problems.append(f"line {line.n}: it removes line {number}, which is no present admission")
            removed.add(number)
        elif line.kind == "reveal":
            hashes = [
                other.facts["sha256"]
                for other in ledger.of("commit")
                if other.n < line.n and other.facts["set"] == line.facts["set"]
            ]
            if hashlib.sha256(bytes.fromhex(line.facts["secret"])).hexdigest() not in hashes:
                problems.append(f"line {line.n}: the secret is not the one committed to before")
        elif line.kind == "confirm" and line.subject not in seen:
            problems.append(f"line {line.n}: it confirms a bundle that was not admitted before")
    problems += [
        f"the bundle {root[:12]} is here, and no line admits it" for root in bundles if root not in seen
    ]
    return problems
