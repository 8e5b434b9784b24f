"""Tables: summarise every agent, then compute the suite's own tables.

In:  results/<suite>/{tasks,calibration,validation}.parquet, results/<suite>/*/<agent>.parquet
Out: results/<suite>/summary.parquet, results/<suite>/tables/<table>.parquet

If agents were added to the frozen ones, every file that shows several agents is made a second time from the results of
the frozen agents alone. The wildcard `view` is the folder of these files; it is empty for the files of all agents.
"""


rule summary:
    """Summarise one agent in every level of every stratum."""
    input:
        tasks=rules.merge_tasks.output.table,
        episodes=rules.merge_episodes.output.table,
        scores=rules.merge_scores.output.table,
    output:
        summary="results/{suite}/shards/summary/{agent}.parquet",
    log:
        "results/logs/summary/{suite}/{agent}.log",
    resources:
        mem_mb=1024,
        runtime=5,
    params:
        source=source("summary"),
        config=lambda w: PLAN.parameters.summary_config(w.suite, w.agent),
        files=files,
        python=python,
    shell:
        program("summary")


rule merge_summary:
    """Merge the summaries of a suite's agents."""
    input:
        parts=lambda w: [
            f"results/{w.suite}/shards/summary/{agent}.parquet"
            for agent in VIEWS[w.view].contents.agents(w.suite)
        ],
    output:
        table="{view}results/{suite}/summary.parquet",
    log:
        "{view}results/logs/summary/{suite}/merge.log",
    resources:
        mem_mb=1024,
        runtime=5,
    params:
        source=PLAN.parameters.merge_source("summary"),
        config=PLAN.parameters.merge_config("summary"),
        files=files,
        python=python,
    shell:
        program("merge")


rule own_table:
    """Make one of a suite's own tables."""
    input:
        tasks=rules.merge_tasks.output.table,
        calibration=rules.merge_calibration.output.table,
        validation=rules.merge_validation.output.table,
        summary=rules.merge_summary.output.table,
        episodes=merged("episodes"),
        events=merged("events"),
        scores=merged("scores"),
        audit=merged("audit"),
        conducts=merged("conducts"),
        opinions=merged("opinions"),
        published=lambda w: PLAN.inputs.published(w.suite),
        fresh=lambda w: PLAN.inputs.fresh(w.suite),
        frozen=lambda w: VIEWS[w.view].inputs.frozen_table(
            f"results/{w.suite}/tables/{w.table}.parquet", w.suite
        ),
    output:
        table="{view}results/{suite}/tables/{table}.parquet",
    log:
        "{view}results/logs/tables/{suite}/{table}.log",
    resources:
        mem_mb=2048,
        runtime=5,
    params:
        source=lambda w: PLAN.parameters.entry_source("tables", w.suite, "analysis", w.table),
        config=lambda w: VIEWS[w.view].parameters.table_config(w.suite, w.table),
        files=files,
        python=python,
    shell:
        program("tables")
