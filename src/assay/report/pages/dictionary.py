"""The page Data: every table of the results with its columns, types, units and meanings, from the schemas."""

from __future__ import annotations

from typing import Any

from assay.report.results import Results
from assay.tables.registry import COMMON
from assay.tables.schema import Schema

# The registry imports schemas by name; these statements make them part of the stage's fingerprint.
from assay.tables.schemas import calibration, conducts, opinions  # noqa: F401
from assay.tables.schemas.leaderboard import LEADERBOARD
from assay.tables.schemas.profile import PROFILE


def values(results: Results) -> dict[str, Any]:
    """The values of the template `data.html`."""
    tables = [
        _table("leaderboard", "results/leaderboard.parquet", LEADERBOARD),
        _table("profile", "results/profile.parquet", PROFILE),
    ]
    for name, common in COMMON.items():
        who = {"suite": "", "agent": "/AGENT", "judge": "/JUDGE"}[common.partition]
        tables.append(_table(name, f"results/SUITE/{name}{who}.parquet", common.load_schema()))
    return {
        "title": "Data",
        "tables": tables,
        "suites": [
            {
                "name": suite.name,
                "tables": [
                    _table(
                        f"{suite.name}-{name}",
                        f"results/{suite.name}/tables/{name}.parquet",
                        suite.room_analysis[name].schema,
                    )
                    for name in suite.config["tables"]
                ],
            }
            for suite in results.suites.values()
        ],
    }


def _table(name: str, path: str, schema: Schema) -> dict[str, Any]:
    return {
        "name": name,
        "path": path,
        "doc": schema.doc,
        "version": schema.version,
        "key": schema.key,
        "columns": schema.columns,
    }
