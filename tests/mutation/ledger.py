"""What became of mutants, kept in `.cache/mutants` from one run to the next.

A mutant is tried again where its file changed, where the function changed that killed it, and, if it had
survived, where anything in the folders of its tests did.
"""

from __future__ import annotations

import ast
import hashlib
import json
from dataclasses import asdict
from functools import cache

from tests.mutation.modules import ROOT, Group
from tests.mutation.operators import Mutant
from tests.mutation.running import SURVIVED, UNREACHED, Verdict

FOLDER = ROOT / ".cache" / "mutants"


class Ledger:
    """The verdicts of one group, a line each; a later line wins."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self._path = FOLDER / f"{group.name.replace(' ', '-')}.jsonl"
        self._kept: dict[str, dict[str, object]] = {}
        if self._path.exists():
            for line in self._path.read_text(encoding="utf-8").splitlines():
                try:
                    entry = json.loads(line)
                except ValueError:  # cut off by a kill
                    continue
                self._kept[entry["mutant"]] = entry

    def verdict(self, mutant: Mutant) -> Verdict | None:
        """What is known, unless it may be otherwise by now."""
        entry = self._kept.get(_key(mutant))
        if entry is None or entry["source"] != _digest(mutant.file):
            return None
        verdict = Verdict(**entry["verdict"])  # type: ignore[arg-type]
        if entry["tests"] != self._tests_of(verdict):
            return None
        return verdict

    def last(self, mutant: Mutant) -> Verdict | None:
        """What was found when it was last tried, though the code or its tests may have changed since."""
        entry = self._kept.get(_key(mutant))
        return None if entry is None else Verdict(**entry["verdict"])  # type: ignore[arg-type]

    def keep(self, mutant: Mutant, verdict: Verdict) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        entry = {
            "mutant": _key(mutant),
            "source": _digest(mutant.file),
            "tests": self._tests_of(verdict),
            "verdict": asdict(verdict),
        }
        self._kept[_key(mutant)] = entry
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def _tests_of(self, verdict: Verdict) -> str:
        if verdict.status not in (SURVIVED, UNREACHED) and "::" in verdict.by:
            return _digest_of_test(verdict.by.partition("[")[0])
        return " ".join(_digest_around(name.partition("::")[0]) for name in self._group.tests)


def _key(mutant: Mutant) -> str:
    return f"{mutant.file} {mutant.function}: {mutant.change}"


@cache
def _digest(file: str) -> str:
    path = ROOT / file
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12] if path.exists() else "none"


@cache
def _digest_of_test(name: str) -> str:
    """Of the text of a test, as pytest names it without its parameters."""
    file, *names = name.split("::")
    path = ROOT / file
    if not path.exists():
        return "none"
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name == names[-1]:
            return hashlib.sha256(str(ast.get_source_segment(text, node)).encode()).hexdigest()[:12]
    return "none"


@cache
def _digest_around(file: str) -> str:
    """Of a file in `tests` itself alone; else of all that its folder holds."""
    folder = (ROOT / file).parent
    if folder == ROOT / "tests":
        return _digest(file)
    inside = sorted(path for kind in ("*.py", "*.jsonl") for path in folder.rglob(kind))
    together = " ".join(_digest(str(path.relative_to(ROOT))) for path in inside)
    return hashlib.sha256(together.encode()).hexdigest()[:12]
