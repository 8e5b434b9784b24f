"""Registry of the suite's tables; each is computed in the module that owns its concept."""

from __future__ import annotations

from collections.abc import Mapping

from assay.specs import TableSpec
from assay.tables.suite_tables import contamination_table, detection_table, pairs_table, passes_table

TABLES: Mapping[str, TableSpec] = {
    "columns": TableSpec(
        "assay.suites.sgi.standings:columns",
        "assay.suites.sgi.standings:COLUMNS",
        "the columns of each agent under every profile, with intervals",
    ),
    "detection": detection_table("assay.suites.sgi.audit:expected"),
    "contamination": contamination_table("assay.suites.sgi.validity:YARDSTICK"),
    "inquiries": TableSpec(
        "assay.suites.sgi.investigation.tables:inquiries",
        "assay.suites.sgi.investigation.tables:INQUIRIES",
        "inquiries by stage, with and without the truth of the stages before, and what was found per cost",
    ),
    "opinions-columns": TableSpec(
        "assay.suites.sgi.judging.tables:judged",
        "assay.suites.sgi.judging.tables:JUDGED",
        "the columns that need judges, empty where nobody was asked",
    ),
    "opinions-agreement": TableSpec(
        "assay.suites.sgi.judging.tables:agreement",
        "assay.suites.sgi.judging.tables:AGREEMENT",
        "how far judges agree with each other, and with themselves in the other order",
    ),
    "pairs": pairs_table(),
    "passes": passes_table(),
    "quoted": TableSpec(
        "assay.suites.sgi.totals:quoted",
        "assay.suites.sgi.totals:QUOTED",
        "the paper's main table",
    ),
    "totals": TableSpec(
        "assay.suites.sgi.totals:totals",
        "assay.suites.sgi.totals:TOTALS",
        "SGI-Score and SGI4 of each agent, null where a column is",
    ),
    "totals-released": TableSpec(
        "assay.suites.sgi.totals:totals_of_released",
        "assay.suites.sgi.totals:RELEASED_TOTALS",
        "SGI-Score and SGI4 on files released with the paper, where a set names their folder",
    ),
}
