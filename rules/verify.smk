"""Verification: write the built manifest, and compare it with the frozen manifest.

In:  every promised file, and the frozen manifest (results/MANIFEST by default)
Out: results/built.json, reports/verdict.html
"""


rule manifest:
    """Write the manifest of the build: the hash of each file, and of each column of a table."""
    input:
        files=PROMISED,
    output:
        built="results/built.json",
    log:
        "results/logs/manifest.log",
    localrule: True
    params:
        source=PLAN.parameters.source("pages.manifest"),
        config=PLAN.parameters.manifest_config(),
        files=files,
        python=python,
    shell:
        program("pages.manifest")


rule unverified:
    """Write a page that says that this build is not verified yet; `assay verify` overwrites it."""
    input:
        built=rules.manifest.output.built,
    output:
        page="reports/verdict.html",
    log:
        "results/logs/report/unverified.log",
    localrule: True
    params:
        source=PLAN.parameters.source("pages.unverified"),
        config=PLAN.parameters.unverified_config(),
        files=files,
        python=python,
    shell:
        program("pages.unverified")


rule verify:
    """Compare the existing files with the frozen manifest, without building anything."""
    log:
        "results/logs/verify.log",
    localrule: True
    params:
        python=python,
    shell:
        "{params.python:q} -m assay verify 2>&1 | tee {log:q}"


rule reproduce:
    """Build everything, then compare it with the frozen manifest.

    All promised files are inputs, so that this rule runs last.
    """
    input:
        rules.all.input,
    log:
        "results/logs/reproduce.log",
    localrule: True
    params:
        python=python,
    shell:
        "{params.python:q} -m assay verify 2>&1 | tee {log:q}"
