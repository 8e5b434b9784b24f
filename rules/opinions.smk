"""Opinions: replay the recorded opinions of judges about episodes. They do not change scores or flags.

In:  results/<suite>/{episodes,events}/<agent>.parquet, recordings/<judge>/<suite>/<set>/<agent>/
Out: results/<suite>/opinions/<judge>.parquet
"""


rule opinions:
    """Replay the recorded opinions of one judge about the episodes of a suite."""
    input:
        tasks=lambda w: VIEWS[w.view].inputs.tasks_of_opinions(w.suite, w.judge),
        blobs=lambda w: VIEWS[w.view].inputs.blobs_of_opinions(w.suite, w.judge),
        episodes=lambda w: VIEWS[w.view].inputs.judged("episodes", w.suite, w.judge),
        events=lambda w: VIEWS[w.view].inputs.judged("events", w.suite, w.judge),
        recordings=lambda w: VIEWS[w.view].inputs.recorded_opinions(w.suite, w.judge),
    output:
        opinions="{view}results/{suite}/opinions/{judge}.parquet",
    log:
        "{view}results/logs/opinions/{suite}/{judge}.log",
    wildcard_constraints:
        judge=PATTERN,
    resources:
        mem_mb=2048,
        runtime=60,
    params:
        source=source("opinions", "opinion"),
        config=lambda w: VIEWS[w.view].parameters.opinions_config(w.suite, w.judge),
        files=files,
        python=python,
    shell:
        program("opinions")
