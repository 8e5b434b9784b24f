"""Validation: a suite's worlds against published results.

In:  nothing but the worlds
Out: results/<suite>/validation.parquet
"""

VALIDATION = source("validation", "validation")
VALIDATION_MERGE = merging("validation")


rule validation:
    """Run one shard of a suite's checks."""
    input:
        artefacts=lambda w: PLAN.artefacts("validation", w.suite),
    output:
        validation="results/{suite}/shards/validation/{shard}.parquet",
    params:
        roots=VALIDATION[0],
        fingerprint=VALIDATION[1],
        config=lambda w: PLAN.validation_config(w.suite, int(w.shard)),
        files=files,
    log:
        "results/logs/validation/{suite}/{shard}.log",
    resources:
        mem_mb=1024,
        runtime=PLAN.minutes(),
    shell:
        program("validation")


rule merge_validation:
    """Merge a suite's checks."""
    input:
        parts=lambda w: PLAN.check_parts(w.suite),
    output:
        table="results/{suite}/validation.parquet",
    params:
        roots=VALIDATION_MERGE[0],
        fingerprint=VALIDATION_MERGE[1],
        config=PLAN.merge_config("validation"),
        files=files,
    log:
        "results/logs/validation/{suite}/merge.log",
    resources:
        mem_mb=1024,
        runtime=60,
    shell:
        program("merge")
