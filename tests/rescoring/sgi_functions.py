"""Dry experiments of sgi: what follows from the number of tests that are passed, which is taken as logged."""

from __future__ import annotations

from tests.rescoring.comparing import UNCOUNTED


def judged(public, hidden, reply, given):
    return {
        profile: counted(given.get((profile, "tests_passed", None)))
        for profile in ("default", "paper", "released")
    }


def counted(share):
    """The headline is whether all five are passed; without a number (a judge is missing) nothing is."""
    if share is None:
        return UNCOUNTED, {f"pass_all_{k}": UNCOUNTED for k in (1, 3, 5)}
    passed = round(5 * share)
    values = {f"pass_all_{k}": float(passed >= k) for k in (1, 3, 5)}
    return values["pass_all_5"], values
