"""Tasks: generated shard by shard, compared with their frozen files, merged into one table a suite.

In:  tasks/<suite>/<set>/*.json (frozen sets)
Out: results/<suite>/tasks.parquet
"""

TASKS = source("tasks", "tasks")
TASKS_MERGE = merging("tasks")


rule tasks:
    """Generate the tasks of one shard of a set."""
    input:
        frozen=lambda w: PLAN.frozen_files(w.suite, w.task_set, int(w.shard)),
    output:
        tasks="results/{suite}/shards/tasks/{task_set}/{shard}.parquet",
        blobs="results/{suite}/shards/tasks/{task_set}/{shard}.blobs.parquet",
    params:
        roots=TASKS[0],
        fingerprint=TASKS[1],
        config=lambda w: PLAN.tasks_config(w.suite, w.task_set, int(w.shard)),
        files=files,
    log:
        "results/logs/tasks/{suite}/{task_set}/{shard}.log",
    resources:
        mem_mb=1024,
        runtime=PLAN.minutes(),
    shell:
        program("tasks")


rule merge_tasks:
    """Merge a suite's tasks."""
    input:
        parts=lambda w: PLAN.task_parts(w.suite),
    output:
        table="results/{suite}/tasks.parquet",
    params:
        roots=TASKS_MERGE[0],
        fingerprint=TASKS_MERGE[1],
        config=PLAN.merge_config("tasks"),
        files=files,
    log:
        "results/logs/tasks/{suite}/merge.log",
    resources:
        mem_mb=1024,
        runtime=60,
    shell:
        program("merge")
