"""Dry experiments: tests passed in the sandbox, PassAll@k of one item, and its share of clean runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.suites.sgi.columns.profiles import UNDERSPECIFIED, Item, Profile, Value
from assay.suites.sgi.dry.runs import Run, patched, run_tests
from assay.suites.sgi.dry.verdict import same_output, same_text
from assay.suites.sgi.metrics.dry_runs import LEAST, TESTS
from assay.tables.tabulation import mean


def runs_of(item: Item, reply: str, released: bool = False) -> tuple[list[Run], tuple[str, ...]]:
    """The runs of an item's five tests with the holes filled from a reply, and the holes that are left.

    Where no hole is filled nothing is run: a program with all its holes is nobody's answer. The released code
    runs it all the same.
    """
    names = tuple(item["incomplete_functions"])
    program = patched(item["incomplete_main_code"], names, reply, released)
    if set(program.unfilled) == set(names) and not (released and reply.strip()):
        return [Run(False, "", "", started=False) for _ in range(TESTS)], program.unfilled
    return run_tests(item, program.code), program.unfilled


def mean_seconds(item: Item, reply: str) -> float | None:
    """AET of one item: the mean time of its clean runs in seconds, measured; null where there is none."""
    return mean([run.seconds for run in runs_of(item, reply)[0] if run.started and run.exit_zero])


def passes(item: Item, k: int, run: Run) -> bool:
    """The objective verdict of a test."""
    expected = item[f"unit_test_{k}_output"]
    if not run.exit_zero:
        return False
    if "x_compare" in item:
        return same_output(expected, run.stdout, item["x_compare"])
    return same_text(expected, run.stdout)


def released_verdict(item: Item, k: int, run: Run) -> bool | None:
    """As released: equal text of both streams, whatever the exit code; None where a judge would be asked."""
    if not run.started:
        return False
    if (run.stderr + "\n" + run.stdout).strip() == item[f"unit_test_{k}_output"].strip():
        return True
    return None if run.exit_zero else False


def score(item: Item, reply: str, profile: Profile) -> Iterable[Value]:
    """`headline` (PassAll@5), `pass_all_1` .. `pass_all_5`, `tests_passed`, `ser`."""
    runs, unfilled = runs_of(item, reply, profile == "released")
    return of_runs(item, profile, runs, unfilled)


def of_runs(item: Item, profile: Profile, runs: Sequence[Run], unfilled: Sequence[str]) -> Iterable[Value]:
    """Yield the metrics that `score` yields, from runs of the program that are given."""
    released = profile == "released"
    if released:
        verdicts = [released_verdict(item, k, run) for k, run in enumerate(runs)]
    else:
        verdicts = [passes(item, k, run) for k, run in enumerate(runs)]
    label = "unfilled" if unfilled else ""
    label = label or ("text_fallback" if "x_compare" not in item and not released else "")
    label = label or (UNDERSPECIFIED if profile == "paper" else "")
    judged = None not in verdicts
    passed = sum(verdict is True for verdict in verdicts)
    label = label if judged else "needs a judge"
    for k in LEAST:
        value = float(passed >= k) if judged or passed >= k else None
        if k == TESTS:
            yield Value("headline", value, label)
        yield Value(f"pass_all_{k}", value, label)
    yield Value("tests_passed", passed / TESTS if judged else None, label)
    yield Value("ser", sum(run.exit_zero for run in runs) / TESTS, label)
