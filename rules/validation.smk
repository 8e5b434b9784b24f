"""Validation: compare each suite's worlds with published results.

In:  the artefacts of the suite, if it has any
Out: results/<suite>/validation.parquet
"""


rule validation:
    """Run one shard of a suite's checks."""
    input:
        artefacts=lambda w: PLAN.inputs.artefacts("validation", w.suite),
    output:
        validation="results/{suite}/shards/validation/{shard}.parquet",
    log:
        "results/logs/validation/{suite}/{shard}.log",
    resources:
        mem_mb=1024,
        runtime=PLAN.parameters.minutes(),
    params:
        source=source("validation", "validation"),
        config=lambda w: PLAN.parameters.validation_config(w.suite, int(w.shard)),
        files=files,
        python=python,
    shell:
        program("validation")


rule merge_validation:
    """Merge the validation shards of a suite."""
    input:
        parts=lambda w: PLAN.inputs.check_parts(w.suite),
    output:
        table="results/{suite}/validation.parquet",
    log:
        "results/logs/validation/{suite}/merge.log",
    resources:
        mem_mb=1024,
        runtime=5,
    params:
        source=PLAN.parameters.merge_source("validation"),
        config=PLAN.parameters.merge_config("validation"),
        files=files,
        python=python,
    shell:
        program("merge")
