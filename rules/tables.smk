"""Tables: a summary of every agent, then the suite's own tables.

In:  results/<suite>/{tasks,calibration,validation}.parquet, results/<suite>/*/<agent>.parquet
Out: results/<suite>/summary.parquet, results/<suite>/tables/<table>.parquet
"""


rule summary:
    """Summarise one agent in every level of every stratum."""
    input:
        tasks="results/{suite}/tasks.parquet",
        episodes="results/{suite}/episodes/{agent}.parquet",
        scores="results/{suite}/scores/{agent}.parquet",
    output:
        summary="results/{suite}/shards/summary/{agent}.parquet",
    log:
        "results/logs/summary/{suite}/{agent}.log",
    resources:
        mem_mb=1024,
        runtime=5,
    params:
        source=source("summary"),
        config=lambda w: PLAN.summary_config(w.suite, w.agent),
        files=files,
    shell:
        program("summary")


rule merge_summary:
    """Merge the summaries of a suite's agents."""
    input:
        parts=lambda w: expand(rules.summary.output.summary, suite=w.suite, agent=PLAN.agents(w.suite)),
    output:
        table="results/{suite}/summary.parquet",
    log:
        "results/logs/summary/{suite}/merge.log",
    resources:
        mem_mb=1024,
        runtime=5,
    params:
        source=PLAN.merge_source("summary"),
        config=PLAN.merge_config("summary"),
        files=files,
    shell:
        program("merge")


def of_agents(table):
    """The merged tables of all agents of a suite."""
    return lambda w: [
        f"results/{w.suite}/{table}/{agent}.parquet" for agent in PLAN.table_agents(table, w.suite)
    ]


rule own_table:
    """Make one of a suite's own tables."""
    input:
        tasks="results/{suite}/tasks.parquet",
        calibration="results/{suite}/calibration.parquet",
        validation="results/{suite}/validation.parquet",
        summary="results/{suite}/summary.parquet",
        episodes=of_agents("episodes"),
        events=of_agents("events"),
        scores=of_agents("scores"),
        audit=of_agents("audit"),
        opinions=lambda w: PLAN.opinions(w.suite),
        published=lambda w: PLAN.published(w.suite),
    output:
        table="results/{suite}/tables/{table}.parquet",
    log:
        "results/logs/tables/{suite}/{table}.log",
    resources:
        mem_mb=2048,
        runtime=5,
    params:
        source=source("tables", "analysis"),
        config=lambda w: PLAN.suite_config(w.suite, table=w.table),
        files=files,
    shell:
        program("tables")
