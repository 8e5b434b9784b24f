"""Report: the site in `reports/`, and a target for each suite.

In:  the merged tables and figures of all suites
Out: results/leaderboard.parquet, results/profile.parquet, reports/
"""

from assay.build.links import COMMON_TABLES


rule report:
    """Make the site, with every figure of every suite."""
    input:
        [file for file in PROMISED if file.startswith("reports/")],


for view, plan in VIEWS.items():

    rule:
        name:
            f"leaderboard{SUFFIXES[view]}"
        input:
            **plan.inputs.shown("episodes", "scores", "summary", "own", "published"),
            ledger=plan.inputs.ledger(),
            frozen=plan.inputs.frozen_table("results/leaderboard.parquet"),
        output:
            table=f"{view}results/leaderboard.parquet",
        log:
            f"{view}results/logs/report/leaderboard.log",
        resources:
            mem_mb=2048,
            runtime=10,
        params:
            source=lambda w, plan=plan: plan.parameters.standing_source("leaderboard", "reporting"),
            config=lambda w, plan=plan: plan.parameters.leaderboard_config(),
            files=files,
            python=python,
        shell:
            program("leaderboard")

    rule:
        name:
            f"profile{SUFFIXES[view]}"
        input:
            **plan.inputs.shown("scores", "audit"),
            frozen=plan.inputs.frozen_table("results/profile.parquet"),
        output:
            table=f"{view}results/profile.parquet",
        log:
            f"{view}results/logs/report/profile.log",
        resources:
            mem_mb=2048,
            runtime=10,
        params:
            source=lambda w, plan=plan: plan.parameters.standing_source("profile", "reporting"),
            config=lambda w, plan=plan: plan.parameters.standing_config(),
            files=files,
            python=python,
        shell:
            program("profile")

    if plan.contents.suites:

        rule:
            name:
                f"site{SUFFIXES[view]}"
            input:
                **plan.inputs.shown(
                    *("tasks", "tasks_csv", "validation", "validity", "summary", "episodes"),
                    *("audit", "own", "figures", "card"),
                ),
                snakefile="Snakefile",
                ledger=plan.inputs.ledger(),
                leaderboard=f"{view}results/leaderboard.parquet",
                profile=f"{view}results/profile.parquet",
            output:
                **{
                    name: (
                        report(path, caption="../docs/captions/site.rst", category="site")
                        if name == "index.html"
                        else path
                    )
                    for name, path in plan.contents.made_by("site").items()
                },
            log:
                f"{view}results/logs/report/site.log",
            resources:
                mem_mb=2048,
                runtime=10,
            params:
                source=lambda w, plan=plan: plan.parameters.standing_source(
                    "pages.site", "reporting", "scoring", "audit", "tasks", "analysis", "shortcuts"
                ),
                config=lambda w, plan=plan: plan.parameters.site_config(),
                files=files,
                python=python,
            shell:
                program("pages.site")


for view, plan in VIEWS.items():
    for suite in plan.contents.twice or plan.contents.suites:

        rule:
            name:
                f"downloads{SUFFIXES[view]}_{suite}"
            input:
                tables=[path for table in COMMON_TABLES for path in plan.inputs.files_of(suite, table)],
                own=plan.inputs.files_of(suite, "own"),
            output:
                **{
                    name: (
                        report(
                            path, caption="../docs/captions/table.rst", category=suite, subcategory="tables"
                        )
                        if name.endswith(".csv")
                        else path
                    )
                    for name, path in plan.contents.made_by("downloads", suite).items()
                },
            log:
                f"{view}results/logs/report/downloads_{suite}.log",
            resources:
                mem_mb=1024,
                runtime=10,
            params:
                source=lambda w: PLAN.parameters.source("pages.downloads"),
                config=plan.parameters.suite_config(suite),
                files=files,
                python=python,
            shell:
                program("pages.downloads")


for view, plan in VIEWS.items():
    for suite in plan.contents.twice or plan.contents.suites:

        rule:
            name:
                f"comparisons{SUFFIXES[view]}_{suite}"
            input:
                tasks=PLAN.inputs.merged("tasks", suite)[0],
                episodes=plan.inputs.merged("episodes", suite),
                events=plan.inputs.merged("events", suite),
                scores=plan.inputs.merged("scores", suite),
                audit=plan.inputs.merged("audit", suite),
            output:
                **plan.contents.made_by("comparisons", suite),
            log:
                f"{view}results/logs/report/comparisons_{suite}.log",
            resources:
                mem_mb=2048,
                runtime=30,
            params:
                source=lambda w, suite=suite: PLAN.parameters.source("pages.comparisons", suite, "scoring"),
                config=plan.parameters.comparisons_config(suite),
                files=files,
                python=python,
            shell:
                program("pages.comparisons")


for suite in PLAN.contents.suites:

    rule:
        name:
            f"viewer_{suite}"
        input:
            tasks=PLAN.inputs.merged("tasks", suite)[0],
            episodes=PLAN.inputs.merged("episodes", suite),
            events=PLAN.inputs.merged("events", suite),
            scores=PLAN.inputs.merged("scores", suite),
            audit=PLAN.inputs.merged("audit", suite),
            blobs=PLAN.inputs.blobs_shown(suite),
        output:
            **PLAN.contents.made_by("viewer", suite),
        log:
            f"results/logs/report/viewer_{suite}.log",
        resources:
            mem_mb=2048,
            runtime=30,
        params:
            source=lambda w, suite=suite: PLAN.parameters.source(
                "pages.viewer", suite, "viewer", "scoring", "audit"
            ),
            config=PLAN.parameters.viewer_config(suite),
            files=files,
            python=python,
        shell:
            program("pages.viewer")


for suite in PLAN.contents.suites:

    rule:
        name:
            suite
        input:
            PLAN.contents.targets(suite),


for suite, reason in PLAN.contents.left_out.items():

    rule:
        name:
            suite
        params:
            reason=f"error: {suite} cannot be built: {reason}",
        shell:
            "sh -c 'echo \"$0\" >&2; exit 1' {params.reason:q}"
