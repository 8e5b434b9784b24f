"""Opinions: what judges think of episodes; beside scores and flags, never in them.

In:  results/<suite>/{episodes,events}/<agent>.parquet, recordings/<judge>/<suite>/<set>/<agent>/
Out: results/<suite>/opinions/<judge>.parquet
"""


rule opinions:
    """Replay the opinions that one judge has given in a suite."""
    input:
        tasks=lambda w: PLAN.tasks_of_opinions(w.suite, w.judge),
        blobs=lambda w: PLAN.blobs_of_opinions(w.suite, w.judge),
        episodes=lambda w: PLAN.judged("episodes", w.suite, w.judge),
        events=lambda w: PLAN.judged("events", w.suite, w.judge),
        recordings=lambda w: PLAN.recorded_opinions(w.suite, w.judge),
    output:
        opinions="results/{suite}/opinions/{judge}.parquet",
    log:
        "results/logs/opinions/{suite}/{judge}.log",
    wildcard_constraints:
        judge=PATTERN,
    resources:
        mem_mb=2048,
        runtime=60,
    params:
        source=source("opinions", "judging"),
        config=lambda w: PLAN.opinions_config(w.suite, w.judge),
        files=files,
    shell:
        program("opinions")
