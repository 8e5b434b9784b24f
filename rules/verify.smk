"""Verification: the manifest of what was built, and the verdict against the frozen one.

In:  every merged table and figure, results/MANIFEST
Out: results/built.json
"""

MANIFEST_ROOTS = PLAN.roots("manifest")


rule manifest:
    """Hash what was built, by file and by column."""
    input:
        files=[f for s in PLAN.suites for f in PLAN.targets(s)],
    output:
        built="results/built.json",
    params:
        roots=MANIFEST_ROOTS,
        fingerprint=PLAN.fingerprint(MANIFEST_ROOTS),
        config=PLAN.manifest_config(),
        files=files,
    log:
        "results/logs/manifest.log",
    localrule: True
    shell:
        program("manifest")


rule verify:
    """The verdict on what is there now; builds nothing."""
    localrule: True
    shell:
        "{sys.executable} -m assay verify"


rule reproduce:
    """Build everything, then the verdict: it takes the built manifest as input, so that it comes last."""
    input:
        rules.manifest.output,
    localrule: True
    shell:
        "{sys.executable} -m assay verify"
