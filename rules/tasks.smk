"""Tasks: generate them shard by shard, compare them with frozen files, and merge them into one table for each suite.

In:  tasks/<suite>/<set>/*.json (frozen sets), the folders of sets that are given by a path
Out: results/<suite>/tasks.parquet
"""


rule tasks:
    """Generate the tasks of one shard, or read them if their set is archived."""
    input:
        frozen=lambda w: PLAN.inputs.frozen_files(w.suite, int(w.shard)),
    output:
        tasks="results/{suite}/shards/tasks/{shard}.parquet",
        blobs="results/{suite}/shards/tasks/{shard}.blobs.parquet",
    log:
        "results/logs/tasks/{suite}/{shard}.log",
    resources:
        mem_mb=1024,
        runtime=PLAN.parameters.minutes(),
    params:
        stage=lambda w: PLAN.parameters.tasks_stage(w.suite, int(w.shard)),
        source=lambda w: PLAN.parameters.source(
            PLAN.parameters.tasks_stage(w.suite, int(w.shard)), w.suite, "tasks"
        ),
        config=lambda w: PLAN.parameters.tasks_config(w.suite, int(w.shard)),
        files=files,
        python=python,
    shell:
        program("{params.stage}")


rule merge_tasks:
    """Merge the task shards of a suite."""
    input:
        parts=lambda w: PLAN.inputs.task_parts(w.suite),
    output:
        table="results/{suite}/tasks.parquet",
    log:
        "results/logs/tasks/{suite}/merge.log",
    resources:
        mem_mb=1024,
        runtime=5,
    params:
        source=PLAN.parameters.merge_source("tasks"),
        config=PLAN.parameters.merge_config("tasks"),
        files=files,
        python=python,
    shell:
        program("merge")
