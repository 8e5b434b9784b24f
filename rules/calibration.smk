"""Calibration: measure how hard each task is.

In:  results/<suite>/shards/tasks/
Out: results/<suite>/calibration.parquet
"""


rule calibration:
    """Calibrate the tasks of one shard."""
    input:
        tasks=lambda w: PLAN.inputs.tasks_of_calibration(w.suite, int(w.shard)),
        blobs=lambda w: PLAN.inputs.tasks_of_calibration(w.suite, int(w.shard), "blobs.parquet"),
        artefacts=lambda w: PLAN.inputs.artefacts("calibration", w.suite, int(w.shard)),
    output:
        calibration="results/{suite}/shards/calibration/{shard}.parquet",
    log:
        "results/logs/calibration/{suite}/{shard}.log",
    resources:
        mem_mb=1024,
        runtime=PLAN.parameters.minutes(),
    params:
        source=source("calibration", "calibration"),
        config=lambda w: PLAN.parameters.calibration_config(w.suite, int(w.shard)),
        files=files,
        python=python,
    shell:
        program("calibration")


rule merge_calibration:
    """Merge the calibration shards of a suite."""
    input:
        parts=lambda w: PLAN.inputs.calibration_parts(w.suite),
    output:
        table="results/{suite}/calibration.parquet",
    log:
        "results/logs/calibration/{suite}/merge.log",
    resources:
        mem_mb=1024,
        runtime=5,
    params:
        source=PLAN.parameters.merge_source("calibration"),
        config=PLAN.parameters.merge_config("calibration"),
        files=files,
        python=python,
    shell:
        program("merge")
