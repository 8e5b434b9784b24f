"""The table of second opinions beside the provenance verdicts, with the ruling of both together."""

from __future__ import annotations

from collections import Counter

import pandas as pd

from assay.protocol import Tables
from assay.suites.collider.provenance import second_opinion
from assay.suites.collider.provenance.examination import Finding, Verdict
from assay.suites.collider.tables.leaderboard import episode_of
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame

OPINIONS_AND_GATE = Schema(
    "opinions-and-gate",
    1,
    (
        Column("judge", "string", "who judges"),
        Column("task_set", "string", "the set"),
        Column("gate", "string", "the gate's verdict"),
        Column("machine", "bool", "whether the gate decided the verdict without a judge"),
        Column("opinion", "string", "the judge's verdict; where it gave none, the status that says why"),
        Column("ruling", "string", "the verdict of both: a judge cannot overrule a hard check"),
        Column("runs", "int64", "episodes"),
    ),
    key=("judge", "task_set", "gate", "machine", "opinion", "ruling"),
    doc="One row a pair of verdicts. No score rests on it.",
)


def opinions_and_gate(tables: Tables) -> pd.DataFrame:
    verdicts = {
        episode_of(row): row.label for row in tables["audit"].itertuples(index=False) if row.flag == "verdict"
    }
    counts: Counter[tuple[str, str, str, bool, str, str]] = Counter()
    for row in tables["opinions"].itertuples(index=False):
        verdict = verdicts[episode_of(row)]
        machine, opinion = verdict != "UNDECIDED", row.label or row.status
        ruling = _ruling(verdict, row.label)
        counts[row.judge, row.task_set, verdict, machine, opinion, ruling] += 1
    return frame([(*key, runs) for key, runs in sorted(counts.items())], OPINIONS_AND_GATE)


def _ruling(verdict: Verdict, label: str) -> Verdict:
    opinion = second_opinion.of_verdict(label) if label else None
    return second_opinion.rule(Finding(verdict, "", ()), "", opinion).verdict
