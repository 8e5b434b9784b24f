"""Audit: one episode in, its integrity flags out; beside the score, never in it.

In:  results/<suite>/shards/{tasks,episodes,events}/
Out: results/<suite>/audit/<agent>.parquet (merged in episodes.smk)
"""

AUDIT = source("audit", "audit")


rule audit:
    """Audit the episodes of one shard."""
    input:
        tasks=rules.scores.input.tasks,
        episodes=rules.scores.input.episodes,
        events=rules.scores.input.events,
        blobs=rules.scores.input.blobs,
    output:
        audit="results/{suite}/shards/audit/{agent}/{task_set}/{shard}.parquet",
    params:
        roots=AUDIT[0],
        fingerprint=AUDIT[1],
        config=rules.scores.params.config,
        files=files,
    log:
        "results/logs/audit/{suite}/{agent}/{task_set}/{shard}.log",
    resources:
        mem_mb=1024,
        runtime=60,
    shell:
        program("audit")


ruleorder: sweep > audit
