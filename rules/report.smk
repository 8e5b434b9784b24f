"""Report: the site that people look at, and one target a suite.

In:  the merged tables and figures of all suites
Out: results/leaderboard.parquet, results/profile.parquet, reports/
"""

from assay.report.links import COMMON_TABLES


rule report:
    """The site, with every figure of every suite."""
    input:
        [file for file in PROMISED if file.startswith("reports/")],


rule leaderboard:
    """Every agent in every set of every suite."""
    input:
        **PLAN.shown("episodes", "summary", "own", "published"),
    output:
        table="results/leaderboard.parquet",
    log:
        "results/logs/report/leaderboard.log",
    resources:
        mem_mb=2048,
        runtime=10,
    params:
        source=lambda w: PLAN.standing_source("leaderboard", "standing"),
        config=lambda w: PLAN.standing_config(),
        files=files,
    shell:
        program("leaderboard")


rule profile:
    """How every agent works, in every suite, by what is logged."""
    input:
        **PLAN.shown("scores", "audit"),
    output:
        table="results/profile.parquet",
    log:
        "results/logs/report/profile.log",
    resources:
        mem_mb=2048,
        runtime=10,
    params:
        source=lambda w: PLAN.standing_source("profile", "standing"),
        config=lambda w: PLAN.standing_config(),
        files=files,
    shell:
        program("profile")


if PLAN.suites:

    rule site:
        """The pages that show all suites."""
        input:
            **PLAN.shown("tasks", "tasks_csv", "validation", "summary", "episodes", "audit", "own", "figures"),
            snakefile="Snakefile",
            leaderboard=rules.leaderboard.output.table,
            profile=rules.profile.output.table,
        output:
            **{
                name: (
                    report(path, caption="../docs/captions/site.rst", category="site")
                    if name == "index.html"
                    else path
                )
                for name, path in PLAN.made_by("site").items()
            },
        log:
            "results/logs/report/site.log",
        resources:
            mem_mb=2048,
            runtime=10,
        params:
            source=lambda w: PLAN.standing_source("site", "standing", "scoring", "audit", "tasks", "analysis"),
            config=lambda w: PLAN.standing_config(),
            files=files,
        shell:
            program("site")


for suite in PLAN.suites:

    rule:
        name:
            f"downloads_{suite}"
        input:
            tables=expand("results/{suite}/{table}.parquet", suite=suite, table=COMMON_TABLES),
            own=expand("results/{suite}/tables/{table}.parquet", suite=suite, table=PLAN.tables(suite)),
        output:
            **{
                name: (
                    report(path, caption="../docs/captions/table.rst", category=suite, subcategory="tables")
                    if name.endswith(".csv")
                    else path
                )
                for name, path in PLAN.made_by("downloads", suite).items()
            },
        log:
            f"results/logs/report/downloads_{suite}.log",
        resources:
            mem_mb=1024,
            runtime=10,
        params:
            source=lambda w: PLAN.source("downloads"),
            config=PLAN.suite_config(suite),
            files=files,
        shell:
            program("downloads")


for suite in PLAN.suites:

    rule:
        name:
            f"viewer_{suite}"
        input:
            tasks=f"results/{suite}/tasks.parquet",
            episodes=PLAN.shown("episodes")[f"{suite}/episodes"],
            events=PLAN.shown("events")[f"{suite}/events"],
            scores=PLAN.shown("scores")[f"{suite}/scores"],
            audit=PLAN.shown("audit")[f"{suite}/audit"],
            blobs=PLAN.blobs_shown(suite),
        output:
            **PLAN.made_by("viewer", suite),
        log:
            f"results/logs/report/viewer_{suite}.log",
        resources:
            mem_mb=2048,
            runtime=30,
        params:
            source=lambda w, suite=suite: PLAN.source("viewer", suite, "viewer", "scoring", "audit"),
            config=PLAN.viewer_config(suite),
            files=files,
        shell:
            program("viewer")


for suite in PLAN.suites:

    rule:
        name:
            suite
        input:
            PLAN.targets(suite),


for suite, reason in PLAN.left_out.items():

    rule:
        name:
            suite
        params:
            reason=f"error: {suite} cannot be built: {reason}",
        shell:
            "sh -c 'echo \"$0\" >&2; exit 1' {params.reason:q}"
