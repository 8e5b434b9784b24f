"""Tables: a summary of every agent, then the suite's own tables.

In:  results/<suite>/{tasks,calibration,validation}.parquet, results/<suite>/*/<agent>.parquet
Out: results/<suite>/summary.parquet, results/<suite>/tables/<table>.parquet
"""

SUMMARY = source("summary")
SUMMARY_MERGE = merging("summary")
OWN_TABLE = source("tables", "analysis")


rule summary:
    """Summarise one agent in every level of every stratum."""
    input:
        tasks="results/{suite}/tasks.parquet",
        episodes="results/{suite}/episodes/{agent}.parquet",
        scores="results/{suite}/scores/{agent}.parquet",
    output:
        summary="results/{suite}/shards/summary/{agent}.parquet",
    params:
        roots=SUMMARY[0],
        fingerprint=SUMMARY[1],
        config=lambda w: PLAN.summary_config(w.suite, w.agent),
        files=files,
    log:
        "results/logs/summary/{suite}/{agent}.log",
    resources:
        mem_mb=1024,
        runtime=60,
    shell:
        program("summary")


rule merge_summary:
    """Merge the summaries of a suite's agents."""
    input:
        parts=lambda w: expand(rules.summary.output.summary, suite=w.suite, agent=PLAN.agents(w.suite)),
    output:
        table="results/{suite}/summary.parquet",
    params:
        roots=SUMMARY_MERGE[0],
        fingerprint=SUMMARY_MERGE[1],
        config=PLAN.merge_config("summary"),
        files=files,
    log:
        "results/logs/summary/{suite}/merge.log",
    resources:
        mem_mb=1024,
        runtime=60,
    shell:
        program("merge")


def of_agents(table):
    """The merged tables of all agents of a suite."""
    return lambda w: [f"results/{w.suite}/{table}/{agent}.parquet" for agent in PLAN.table_agents(table, w.suite)]


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
        published=lambda w: PLAN.published(w.suite),
    output:
        table="results/{suite}/tables/{table}.parquet",
    params:
        roots=OWN_TABLE[0],
        fingerprint=OWN_TABLE[1],
        config=lambda w: PLAN.suite_config(w.suite, table=w.table),
        files=files,
    log:
        "results/logs/tables/{suite}/{table}.log",
    resources:
        mem_mb=2048,
        runtime=60,
    shell:
        program("tables")
