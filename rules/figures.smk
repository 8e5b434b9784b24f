"""Figures: draw the figures of each suite from its tables.

In:  all tables of a suite
Out: reports/figures/<suite>/<figure>.svg, and its data: reports/data/<suite>/figures/<figure>.{parquet,csv}
"""


rule figures:
    """Draw one of a suite's own figures."""
    input:
        **{name: paths for name, paths in rules.own_table.input.items() if name != "frozen"},
        tables=lambda w: [
            f"{w.view}results/{w.suite}/tables/{table}.parquet" for table in PLAN.contents.tables(w.suite)
        ],
    output:
        figure=report(
            "{view}reports/figures/{suite}/{figure}.svg",
            caption="../docs/captions/figure.rst",
            category="{suite}",
            subcategory="figures",
            labels={"figure": "{figure}"},
        ),
        data="{view}reports/data/{suite}/figures/{figure}.parquet",
        csv="{view}reports/data/{suite}/figures/{figure}.csv",
    log:
        "{view}results/logs/figures/{suite}/{figure}.log",
    resources:
        mem_mb=2048,
        runtime=5,
    params:
        source=lambda w: PLAN.parameters.entry_source("figures", w.suite, "figures", w.figure, "analysis"),
        config=lambda w: VIEWS[w.view].parameters.analysis_config(w.suite, figure=w.figure),
        files=files,
        python=python,
    shell:
        program("figures")
