"""Episodes: play solvers and replay recordings shard by shard, then merge the shards of each agent.

In:  results/<suite>/shards/tasks/, recordings/<agent>/<suite>/<set>/
Out: results/<suite>/{episodes,events}/<agent>.parquet
"""


rule episodes:
    """Let a solver play the tasks of one shard, or replay the recordings of a model."""
    input:
        tasks=lambda w: PLAN.inputs.tasks_of_episodes(w.suite, w.agent, int(w.shard)),
        blobs=lambda w: PLAN.inputs.tasks_of_episodes(w.suite, w.agent, int(w.shard), "blobs.parquet"),
        recordings=lambda w: PLAN.inputs.recordings(w.suite, w.agent, int(w.shard)),
        artefacts=lambda w: PLAN.inputs.artefacts("episodes", w.suite, int(w.shard), w.agent),
    output:
        episodes="results/{suite}/shards/episodes/{agent}/{shard}.parquet",
        events="results/{suite}/shards/events/{agent}/{shard}.parquet",
        blobs="results/{suite}/shards/blobs/{agent}/{shard}.parquet",
    log:
        "results/logs/episodes/{suite}/{agent}/{shard}.log",
    wildcard_constraints:
        agent=one_of(PLAN.contents.agents_by_log("full")),
    resources:
        mem_mb=1024,
        runtime=PLAN.parameters.minutes(),
    params:
        source=player("episodes"),
        config=lambda w: PLAN.parameters.episodes_config(w.suite, w.agent, int(w.shard)),
        files=files,
        python=python,
    shell:
        program("episodes")


rule sweep:
    """Play, score and audit one shard of an agent whose log is kept as a digest only."""
    input:
        tasks=rules.episodes.input.tasks,
        blobs=rules.episodes.input.blobs,
        artefacts=rules.episodes.input.artefacts,
    output:
        episodes="results/{suite}/shards/episodes/{agent}/{shard}.parquet",
        scores="results/{suite}/shards/scores/{agent}/{shard}.parquet",
        audit="results/{suite}/shards/audit/{agent}/{shard}.parquet",
    log:
        "results/logs/sweep/{suite}/{agent}/{shard}.log",
    wildcard_constraints:
        agent=one_of(PLAN.contents.agents_by_log("digest")),
    resources:
        mem_mb=1024,
        runtime=PLAN.parameters.minutes(),
    params:
        source=player("sweep", "scoring", "audit"),
        config=rules.episodes.params.config,
        files=files,
        python=python,
    shell:
        program("sweep")


for table in ["episodes", "events", "scores", "audit"]:

    rule:
        name:
            f"merge_{table}"
        input:
            parts=lambda w, table=table: PLAN.inputs.agent_parts(table, w.suite, w.agent),
        output:
            table=f"results/{{suite}}/{table}/{{agent}}.parquet",
        log:
            f"results/logs/{table}/{{suite}}/{{agent}}.merge.log",
        wildcard_constraints:
            agent=one_of(PLAN.contents.ranked),
        resources:
            mem_mb=1024,
            runtime=5,
        params:
            source=PLAN.parameters.merge_source(table),
            config=PLAN.parameters.merge_config(table),
            files=files,
            python=python,
        shell:
            program("merge")


for suite in PLAN.contents.suites:
    if PLAN.contents.probes(suite):

        rule:
            name:
                f"probes_{suite}"
            input:
                tasks=PLAN.inputs.tasks_of_probes(suite),
                blobs=PLAN.inputs.tasks_of_probes(suite, "blobs.parquet"),
                artefacts=PLAN.inputs.artefacts_of_probes(suite),
            output:
                **PLAN.inputs.probe_tables(suite),
            log:
                f"results/logs/probes/{suite}/play.log",
            resources:
                mem_mb=2048,
                runtime=PLAN.parameters.minutes(),
            params:
                source=lambda w, suite=suite: PLAN.parameters.source(
                    "cards.probes", suite, "world", "shortcuts", "abilities", "scoring", "audit"
                ),
                config=PLAN.parameters.probes_config(suite),
                files=files,
                python=python,
            shell:
                program("cards.probes")
