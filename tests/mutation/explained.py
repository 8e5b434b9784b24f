"""Mutants that no test can kill, each with the reason: `equivalent.yaml`, by file, function and change.

An entry that names no mutant is an error: the code has changed, and so may have the reason.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml

from tests.mutation.modules import MODULES, ROOT
from tests.mutation.operators import Mutant, Source

LIST = Path(__file__).with_name("equivalent.yaml")


@cache
def explained() -> dict[tuple[str, str, str], str]:
    """The reason by file, function and change."""
    found = yaml.safe_load(LIST.read_text(encoding="utf-8")) or {}
    return {
        (file, function, change): reason
        for file, functions in found.items()
        for function, changes in functions.items()
        for change, reason in changes.items()
    }


def reason_of(mutant: Mutant) -> str | None:
    """Why it cannot be killed; null where it should be."""
    return explained().get((mutant.file, mutant.function, mutant.change))


def stale() -> list[tuple[str, str, str]]:
    """Entries of the list that name no mutant."""
    files = {file for groups in MODULES.values() for group in groups for file in group.files}
    known = {(m.file, m.function, m.change) for file in files for m in Source(ROOT, file).mutants}
    return sorted(explained().keys() - known)
