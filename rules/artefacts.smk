"""Artefacts: expensive results that several jobs share, one job for each key.

In:  none; the key is a parameter
Out: results/<suite>/artefacts/<digest of the key>
"""


rule artefact:
    """Compute one artefact."""
    output:
        artefact="results/{suite}/artefacts/{key}",
    log:
        "results/logs/artefacts/{suite}/{key}.log",
    wildcard_constraints:
        key="[0-9a-f]{64}",
    resources:
        mem_mb=2048,
        runtime=PLAN.parameters.minutes(),
    params:
        source=source("artefact", "artefacts"),
        config=lambda w: PLAN.parameters.artefact_config(w.suite, w.key),
        files=files,
        python=python,
    shell:
        program("artefact")
