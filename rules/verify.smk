"""Verification: the manifest of what was built, and the verdict against the frozen one.

In:  every merged table and figure, results/MANIFEST
Out: results/built.json, reports/verdict.html
"""


rule manifest:
    """Hash what was built, by file and by column."""
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
    shell:
        program("pages.manifest")


rule unverified:
    """Until somebody verifies this build, its page for the verdict says so; `assay verify` writes over it."""
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
    shell:
        program("pages.unverified")


rule verify:
    """The verdict on what is there now; builds nothing."""
    localrule: True
    shell:
        "{sys.executable:q} -m assay verify"


rule reproduce:
    """Build everything, then the verdict: it takes all that is built as input, so that it comes last."""
    input:
        rules.all.input,
    localrule: True
    shell:
        "{sys.executable:q} -m assay verify"
