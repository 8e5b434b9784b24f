"""Registry of the suite's tables; each is computed in a module of `tables`."""

from __future__ import annotations

from collections.abc import Mapping

from assay.specs import TableSpec

TABLES: Mapping[str, TableSpec] = {
    "answers": TableSpec(
        "tests.protocol.madeup.tables.answers:answers",
        "tests.protocol.madeup.tables.answers:ANSWERS",
        "answers an episode",
    ),
    "opinions-and-answers": TableSpec(
        "tests.protocol.madeup.tables.answers:opinions",
        "tests.protocol.madeup.tables.answers:OPINIONS",
        "what judges think of right and wrong answers",
    ),
    "tiers": TableSpec(
        "tests.protocol.madeup.tables.tiers:tiers",
        "tests.protocol.madeup.tables.tiers:TIERS",
        "the best agent of each tier",
    ),
}
