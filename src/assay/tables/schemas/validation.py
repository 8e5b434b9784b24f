"""The schema of the table `validation`, which compares a suite's worlds with published results."""

from assay.tables.schema import Column, Schema

VALIDATION = Schema(
    "validation",
    1,
    (
        Column("suite", "string", "the suite"),
        Column("check", "string", "the comparison"),
        Column("statistic", "string", "what was computed"),
        Column("value", "float64", "what came out"),
        Column("low", "float64", "the least that passes; null: no bound", nullable=True),
        Column("high", "float64", "the most that passes; null: no bound", nullable=True),
        Column("passed", "bool", "whether low <= value <= high"),
        Column("reference", "string", "the published source"),
        Column("caveat", "string", "what the comparison leaves out; empty: nothing"),
    ),
    key=("suite", "check", "statistic"),
    doc="One row a comparison.",
)
