"""What is changed, and which tests must notice: the four modules, each in groups that share their tests."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.operators import Mutant, Source

ROOT = Path(__file__).parents[2]

SUITES = ("petri", "causalab", "pilab", "collider", "sgi")

SEED = 14
"""Of every sample."""


@dataclass(frozen=True)
class Group:
    """Files of source, and the tests that may reach them.

    Of tests with a parameter `name`, which is a suite's, only those of `suite` are used; tests with a part of
    `without` in their names are not, since they take long.
    """

    name: str
    files: tuple[str, ...]
    tests: tuple[str, ...]
    suite: str | None = None
    without: tuple[str, ...] = ()

    def sources(self) -> list[Source]:
        return [Source(ROOT, file) for file in self.files]

    def mutants(self, sources: list[Source], sample: int | None = None) -> list[Mutant]:
        """All, or a sample that is the first part of any larger one; in the order of the files."""
        found = [mutant for source in sources for mutant in source.mutants]
        if sample is None or sample >= len(found):
            return found
        chosen = set(random.Random(f"{self.name} {SEED}").sample(range(len(found)), len(found))[:sample])
        return [mutant for at, mutant in enumerate(found) if at in chosen]


def _suite(name: str, *rooms: str) -> tuple[str, ...]:
    return tuple(f"src/assay/suites/{name}/{room}.py" for room in rooms)


def _tests(name: str, *files: str) -> tuple[str, ...]:
    return tuple(f"tests/suites/{name}/test_{file}.py" for file in files)


PAIRED = "tests/suites/petri/test_pairing.py::test_both_kinds_of_p_are_corrected_together"
RESCORED = "tests/rescoring/test_rescoring.py::test_some_generated_episodes"
JUDGED = "tests/judgements/test_judgements.py"


MODULES: Mapping[str, tuple[Group, ...]] = {
    "digest": (Group("digest", ("src/assay/tables/digest.py",), ("tests/tables/test_digest.py",)),),
    "replay": (
        Group(
            "replay",
            ("src/assay/sessions/replay.py", "src/assay/sessions/rerun.py"),
            ("tests/sessions/test_replay.py", "tests/cli/test_replay.py"),
            without=("test_forgeries_are_rejected",),
        ),
    ),
    "scoring": (
        Group(
            "stage of scores",
            ("src/assay/sessions/assessment.py", "src/assay/stages/scores.py"),
            ("tests/sessions/test_assessment.py",),
        ),
        Group(
            "scores of petri",
            _suite("petri", "scoring", "questions/answers", "evidence", "boundary/scoring"),
            (*_tests("petri", "scoring", "answers", "signatures"), PAIRED, RESCORED, JUDGED),
            suite="petri",
        ),
        Group(
            "scores of causalab",
            _suite("causalab", "scoring", "metrics/recovery", "metrics/report", "metrics/equation"),
            (*_tests("causalab", "equation", "recovery", "history", "attainable"), RESCORED, JUDGED),
            suite="causalab",
        ),
        Group(
            "scores of pilab",
            _suite("pilab", "scoring", "measures/axes"),
            (*_tests("pilab", "scoring", "axes"), JUDGED),
            suite="pilab",
        ),
        Group(
            "scores of collider",
            _suite(
                "collider",
                "scoring",
                *(f"measures/{name}" for name in ("scorecard", "metrics", "validity", "uncertainty")),
            ),
            (*_tests("collider", "scorecard", "metrics"), RESCORED, JUDGED),
            suite="collider",
        ),
        Group(
            "scores of sgi",
            (
                *_suite("sgi", "scoring"),
                *_suite("sgi/columns", "column", "deep_research", "dry_experiment", "experimental_reasoning"),
                *_suite("sgi/columns", "idea_generation", "wet_experiment"),
                *_suite("sgi/metrics", "aggregate", "ideas", "protocols", "reasoning", "research"),
            ),
            (
                *_tests("sgi", "columns", "worked_examples", "parsers"),
                *_tests("sgi", "idea_rules", "protocol_metrics", "research_metrics"),
                RESCORED,
                JUDGED,
            ),
            suite="sgi",
        ),
    ),
    "audit": (
        Group(
            "detection",
            ("src/assay/tables/detection.py", "src/assay/stages/audit.py"),
            ("tests/tables/test_detection.py", "tests/sessions/test_assessment.py"),
        ),
        Group(
            "flags of petri",
            _suite("petri", "audit", "conduct", "boundary/audit"),
            (*_tests("petri", "audit"), JUDGED),
            suite="petri",
            without=(
                "fisher",
                "known_conduct_raises_exactly_its_flags[1",
                "exactly_its_flags[3",
                "exactly_its_flags[5",
            ),
        ),
        Group(
            "flags of causalab",
            _suite("causalab", "audit"),
            (*_tests("causalab", "audit", "history"), JUDGED),
            suite="causalab",
        ),
        Group(
            "flags of pilab",
            _suite("pilab", "audit"),
            (*_tests("pilab", "audit"), JUDGED),
            suite="pilab",
        ),
        Group(
            "flags of collider",
            _suite(
                "collider",
                "audit",
                "provenance/conduct",
                "provenance/examination",
                *(
                    f"provenance/rules/{name}"
                    for name in ("arithmetic", "hints", "inputs", "movement", "origin", "rerun", "selection")
                ),
            ),
            (
                *_tests("collider", "audit", "provenance", "provenance_hard", "provenance_soft"),
                *_tests("collider", "provenance_open", "movement"),
                JUDGED,
            ),
            suite="collider",
            without=("200_seeds", "few_digits", "rounding", "is_seen_for_the_reason"),
        ),
        Group(
            "flags of sgi",
            _suite("sgi", "audit"),
            (*_tests("sgi", "audit", "columns"), JUDGED),
            suite="sgi",
        ),
    ),
}
