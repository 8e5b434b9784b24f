"""Audit: determine the integrity flags of each episode. Flags do not change the score.

In:  results/<suite>/shards/{tasks,episodes,events}/
Out: results/<suite>/audit/<agent>.parquet (merged in episodes.smk)
"""


rule audit:
    """Audit the episodes of one shard."""
    input:
        tasks=rules.scores.input.tasks,
        episodes=rules.scores.input.episodes,
        events=rules.scores.input.events,
        blobs=rules.scores.input.blobs,
        artefacts=lambda w: PLAN.inputs.artefacts("audit", w.suite, int(w.shard), w.agent),
    output:
        audit="results/{suite}/shards/audit/{agent}/{shard}.parquet",
    log:
        "results/logs/audit/{suite}/{agent}/{shard}.log",
    wildcard_constraints:
        agent=one_of(PLAN.contents.agents_by_log("full")),
    resources:
        mem_mb=1024,
        runtime=60,
    params:
        source=source("audit", "audit"),
        config=rules.scores.params.config,
        files=files,
        python=python,
    shell:
        program("audit")
