"""Calibration: how hard each task is.

In:  results/<suite>/shards/tasks/
Out: results/<suite>/calibration.parquet
"""

CALIBRATION = source("calibration", "calibration")
CALIBRATION_MERGE = merging("calibration")


rule calibration:
    """Calibrate the tasks of one shard of a set."""
    input:
        tasks=lambda w: PLAN.tasks_of_calibration(w.suite, w.task_set, int(w.shard)),
        blobs=lambda w: PLAN.tasks_of_calibration(
            w.suite, w.task_set, int(w.shard), "blobs.parquet"
        ),
        artefacts=lambda w: PLAN.artefacts("calibration", w.suite, w.task_set, int(w.shard)),
    output:
        calibration="results/{suite}/shards/calibration/{task_set}/{shard}.parquet",
    params:
        roots=CALIBRATION[0],
        fingerprint=CALIBRATION[1],
        config=lambda w: PLAN.calibration_config(w.suite, w.task_set, int(w.shard)),
        files=files,
    log:
        "results/logs/calibration/{suite}/{task_set}/{shard}.log",
    resources:
        mem_mb=1024,
        runtime=PLAN.minutes(),
    shell:
        program("calibration")


rule merge_calibration:
    """Merge a suite's calibration."""
    input:
        parts=lambda w: PLAN.calibration_parts(w.suite),
    output:
        table="results/{suite}/calibration.parquet",
    params:
        roots=CALIBRATION_MERGE[0],
        fingerprint=CALIBRATION_MERGE[1],
        config=PLAN.merge_config("calibration"),
        files=files,
    log:
        "results/logs/calibration/{suite}/merge.log",
    resources:
        mem_mb=1024,
        runtime=60,
    shell:
        program("merge")
