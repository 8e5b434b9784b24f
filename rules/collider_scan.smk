"""A scan of the suite collider: run the physics chain at each point of a grid, one job for each point.

The target `all` does not include it.

In:  none; the settings `scan` of the suite are parameters
Out: results/collider/scan.parquet, reports/figures/collider/scan.svg
"""

SCAN_MODULE = "assay.suites.collider.chain.scan"
SCAN = PLAN.parameters.own_settings("collider", "scan") if "collider" in PLAN.contents.suites else {}
POINTS = sorted(
    f"{SCAN['model']}_{heavy}_{light}"
    for heavy in SCAN.get("heavy", ())
    for light in SCAN["light"]
    if light < heavy
)


rule collider_scan:
    """Make the table of the points of the grid, and its figure."""
    input:
        "results/collider/scan.parquet",
        "reports/figures/collider/scan.svg",


rule scan_point:
    """Generate the events of one point and count those that are selected."""
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
        source=lambda w: PLAN.parameters.source_of(SCAN_MODULE),
        config=lambda w: PLAN.parameters.suite_config("collider", settings=SCAN, point=w.point),
        files=files,
        python=python,
    shell:
        program(SCAN_MODULE)


rule scan_table:
    """Merge the points into one table."""
    input:
        parts=[f"results/collider/scan/{point}.parquet" for point in POINTS],
    output:
        table="results/collider/scan.parquet",
    log:
        "results/logs/collider_scan/merge.log",
    resources:
        mem_mb=1024,
        runtime=60,
    params:
        source=lambda w: PLAN.parameters.source_of("assay.stages.merge", SCAN_MODULE),
        config='{"schema":"assay.suites.collider.chain.scan:SCAN"}',
        files=files,
        python=python,
    shell:
        program("merge")


rule scan_figure:
    """Draw the figure of the grid."""
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
        source=lambda w: PLAN.parameters.source_of(SCAN_MODULE),
        config=lambda w: PLAN.parameters.suite_config("collider"),
        files=files,
        python=python,
    shell:
        program(SCAN_MODULE)
