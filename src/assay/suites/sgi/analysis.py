"""The suite's own tables, each told where its idea is at home; group-bys are in the common summary."""

from __future__ import annotations

from collections.abc import Mapping

from assay.protocol import TableSpec
from assay.suites.sgi import standings

TABLES: Mapping[str, TableSpec] = {
    "columns": TableSpec(
        standings.columns, standings.COLUMNS, "the columns of each agent under every profile, with intervals"
    ),
}
