"""The suite's own tables, each told where its idea is at home; group-bys are in the common summary."""

from __future__ import annotations

from collections.abc import Mapping

from assay.protocol import TableSpec
from assay.suites.sgi import standings, totals
from assay.suites.sgi.audit import expected
from assay.tables.detection import detection_table
from assay.tables.rivals import pairs_table, passes_table

TABLES: Mapping[str, TableSpec] = {
    "columns": TableSpec(
        standings.columns, standings.COLUMNS, "the columns of each agent under every profile, with intervals"
    ),
    "totals": TableSpec(
        totals.totals, totals.TOTALS, "SGI-Score and SGI4 of each agent, null where a column is"
    ),
    "quoted": TableSpec(totals.quoted, totals.QUOTED, "the paper's main table"),
    "detection": detection_table(expected),
    "passes": passes_table(),
    "pairs": pairs_table(),
}
