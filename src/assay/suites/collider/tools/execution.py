"""Execution of scripts in the sandbox, for the tool `run_analysis` and the provenance examination."""

from __future__ import annotations

from collections.abc import Mapping

from assay.errors import SandboxError
from assay.sandbox import Box, Limits, Outcome, Policy

POLICY = Policy(Limits(wall=120, cpu=120))

AGAIN = Policy(Limits(wall=30, cpu=30))
"""Limits of a script that is run again on a few thousand events."""

KEPT = ("data/", "results/")
"""Folders of which the files that a script writes are kept."""


def run(
    code: str, given: Mapping[str, bytes], seed: int, policy: Policy = POLICY
) -> tuple[Outcome, dict[str, bytes]]:
    """Run a script on files in a new sandbox.

    Args:
        code: the source of the script.
        given: the files by their path in the folder of the script.
        seed: seed of the random numbers in the sandbox.
        policy: the limits of the script.

    Returns:
        The outcome, and the new and changed files below `KEPT`.
    """
    with Box(policy, seed=seed) as box:
        for path, data in given.items():
            box.put(path, data)
        outcome = box.run(code)
        files = sorted(box.files().items())
    return outcome, {path: data for path, data in files if path.startswith(KEPT) and given.get(path) != data}


def in_sandbox(code: str, given: Mapping[str, bytes]) -> Mapping[str, bytes] | None:
    """Run a script on files; return what it wrote, None if it failed or there is no sandbox here."""
    try:
        outcome, left = run(code, given, seed=0, policy=AGAIN)
    except (OSError, SandboxError):
        return None
    return left if outcome.status == "ok" else None
