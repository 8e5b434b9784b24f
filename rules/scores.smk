"""Scores: compute the metrics of each episode.

In:  results/<suite>/shards/{tasks,episodes,events}/
Out: results/<suite>/scores/<agent>.parquet (merged in episodes.smk)
"""


rule scores:
    """Score the episodes of one shard."""
    input:
        tasks=rules.episodes.input.tasks,
        episodes=rules.episodes.output.episodes,
        events=rules.episodes.output.events,
        blobs=[rules.episodes.output.blobs],
    output:
        scores="results/{suite}/shards/scores/{agent}/{shard}.parquet",
    log:
        "results/logs/scores/{suite}/{agent}/{shard}.log",
    wildcard_constraints:
        agent=one_of(PLAN.contents.agents_by_log("full")),
    resources:
        mem_mb=1024,
        runtime=60,
    params:
        source=source("scores", "scoring"),
        config=lambda w: PLAN.parameters.judging_config(w.suite, w.agent, int(w.shard)),
        files=files,
        python=python,
    shell:
        program("scores")
