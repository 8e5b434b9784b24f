"""Figures: a suite's own, drawn from its tables.

In:  all tables of a suite
Out: reports/figures/<suite>/<figure>.svg, reports/data/<suite>/figures/<figure>.{parquet,csv}: what it shows
"""


rule figures:
    """Draw one of a suite's own figures."""
    input:
        **dict(rules.own_table.input.items()),
        tables=lambda w: expand(rules.own_table.output.table, suite=w.suite, table=PLAN.tables(w.suite)),
    output:
        figure=report(
            "reports/figures/{suite}/{figure}.svg",
            caption="../docs/captions/figure.rst",
            category="{suite}",
            subcategory="figures",
            labels={"figure": "{figure}"},
        ),
        data="reports/data/{suite}/figures/{figure}.parquet",
        csv="reports/data/{suite}/figures/{figure}.csv",
    log:
        "results/logs/figures/{suite}/{figure}.log",
    resources:
        mem_mb=2048,
        runtime=5,
    params:
        source=source("figures", "figures", "analysis"),
        config=lambda w: PLAN.suite_config(w.suite, figure=w.figure),
        files=files,
    shell:
        program("figures")
