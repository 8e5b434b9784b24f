"""A scan of collider: a grid of points through the physics chain, one job a point. No part of `all`.

In:  the settings `scan` of the suite
Out: results/collider/scan.parquet, reports/figures/collider/scan.svg
"""

SCAN = PLAN.parameters.own_settings("collider", "scan") if "collider" in PLAN.contents.suites else {}
POINTS = sorted(
    f"{SCAN['model']}_{heavy}_{light}"
    for heavy in SCAN.get("heavy", ())
    for light in SCAN["light"]
    if light < heavy
)


def scan_source(*roots):
    """The source of a job of the scan, with its fingerprint."""
    return PLAN.parameters.source_of(*roots, "assay.suites.collider.chain.scan")


rule collider_scan:
    """The table of a grid of points, and its picture."""
    input:
        "results/collider/scan.parquet",
        "reports/figures/collider/scan.svg",


rule scan_point:
    """Generate one point and count."""
    output:
        point="results/collider/scan/{point}.parquet",
    log:
        "results/logs/collider_scan/{point}.log",
    wildcard_constraints:
        point="[A-Za-z0-9_]+",
    resources:
        mem_mb=2048,
        runtime=PLAN.parameters.minutes(),
    params:
        source=lambda w: scan_source(),
        config=lambda w: PLAN.parameters.suite_config("collider", settings=SCAN, point=w.point),
        files=files,
    shell:
        program("assay.suites.collider.chain.scan")


rule scan_table:
    """Merge the points."""
    input:
        parts=expand(rules.scan_point.output.point, point=POINTS),
    output:
        table="results/collider/scan.parquet",
    log:
        "results/logs/collider_scan/merge.log",
    resources:
        mem_mb=1024,
        runtime=60,
    params:
        source=lambda w: scan_source("assay.stages.merge"),
        config='{"schema":"assay.suites.collider.chain.scan:SCAN"}',
        files=files,
    shell:
        program("merge")


rule scan_figure:
    """Draw the plane."""
    input:
        table=rules.scan_table.output.table,
    output:
        figure="reports/figures/collider/scan.svg",
    log:
        "results/logs/collider_scan/figure.log",
    resources:
        mem_mb=1024,
        runtime=60,
    params:
        source=lambda w: scan_source(),
        config=lambda w: PLAN.parameters.suite_config("collider"),
        files=files,
    shell:
        program("assay.suites.collider.chain.scan")
