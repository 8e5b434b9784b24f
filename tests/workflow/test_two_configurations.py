"""Two configurations built one after the other in the same checkout."""

from __future__ import annotations

from tests.workflow.checkout import Checkout

from assay.build import damage

SWEPT = "sweeper: {kind: solver, solver: guess, log: digest,"
AGENTS = "config/test/small-agents.yaml"


def test_shards_that_another_job_writes_are_not_damaged(copy: Checkout) -> None:
    """Scores of an agent are an output of its sweep, then of a job of their own, then of its sweep again."""
    targets = [f"results/madeup/{table}/sweeper.parquet" for table in ("scores", "audit")]
    for old, new in ((SWEPT, SWEPT.replace("digest", "full")), (SWEPT.replace("digest", "full"), SWEPT)):
        copy.replace(AGENTS, old, new)
        for target in targets:
            copy.build(target=target)
        assert damage.find(copy.root) == []
    scores = copy.root / "results/madeup/shards/scores/sweeper/0.parquet"
    scores.write_bytes(scores.read_bytes()[:-1])
    assert [each.path for each in damage.find(copy.root)] == [str(scores.relative_to(copy.root))]
