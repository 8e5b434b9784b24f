"""Scores: one episode in, its metrics out.

In:  results/<suite>/shards/{tasks,episodes,events}/
Out: results/<suite>/scores/<agent>.parquet (merged in episodes.smk)
"""

SCORES = source("scores", "scoring")


rule scores:
    """Score the episodes of one shard."""
    input:
        tasks=rules.episodes.input.tasks,
        episodes=rules.episodes.output.episodes,
        events=rules.episodes.output.events,
        blobs=[rules.episodes.output.blobs],
    output:
        scores="results/{suite}/shards/scores/{agent}/{task_set}/{shard}.parquet",
    params:
        roots=SCORES[0],
        fingerprint=SCORES[1],
        config=lambda w: PLAN.judging_config(w.suite, w.agent, w.task_set, int(w.shard)),
        files=files,
    log:
        "results/logs/scores/{suite}/{agent}/{task_set}/{shard}.log",
    resources:
        mem_mb=1024,
        runtime=60,
    shell:
        program("scores")


ruleorder: sweep > scores
