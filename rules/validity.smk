"""Validity: what the scores of each task set can show.

In:  results/<suite>/{episodes,scores}/<agent>.parquet of every frozen agent, shortcuts included;
     config/{fresh,kept}/<suite>/ (scores that were kept: in fresh tasks, and of dear probes)
Out: results/<suite>/validity.parquet, reports/figures/<suite>/validity.svg with its data

The audit is tried, too: agents of known conduct play, and what it says about them is a table and a labelled set.

In:  results/<suite>/shards/tasks/
Out: results/<suite>/conducts.parquet, reports/data/<suite>/conducts.jsonl
"""

from assay.build.links import SITE, labelled


ruleorder: validity > figures


rule validity:
    """Make the card of each set of a suite."""
    input:
        episodes=lambda w: VIEWS[w.view].inputs.measured("episodes", w.suite),
        scores=lambda w: VIEWS[w.view].inputs.measured("scores", w.suite),
        audit=lambda w: VIEWS[w.view].inputs.measured("audit", w.suite),
        published=lambda w: PLAN.inputs.published(w.suite),
        fresh=lambda w: PLAN.inputs.fresh(w.suite),
        kept=lambda w: PLAN.contents.kept_files(w.suite),
    output:
        table="{view}results/{suite}/validity.parquet",
        figure=report(
            "{view}reports/figures/{suite}/validity.svg",
            caption="../docs/captions/card.rst",
            category="{suite}",
            subcategory="figures",
            labels={"figure": "validity"},
        ),
        data="{view}reports/data/{suite}/figures/validity.parquet",
        csv="{view}reports/data/{suite}/figures/validity.csv",
    log:
        "{view}results/logs/validity/{suite}/cards.log",
    resources:
        mem_mb=2048,
        runtime=10,
    params:
        source=source("cards.validity", "validity", "scoring", "reporting"),
        config=lambda w: VIEWS[w.view].parameters.validity_config(w.suite),
        files=files,
        python=python,
    shell:
        program("cards.validity")


for suite in PLAN.contents.suites:
    if PLAN.contents.tried(suite):

        rule:
            name:
                f"conducts_{suite}"
            input:
                tasks=PLAN.inputs.tasks_of_conducts(suite),
                blobs=PLAN.inputs.tasks_of_conducts(suite, "blobs.parquet"),
            output:
                table=PLAN.inputs.merged("conducts", suite),
                labelled=f"{SITE}/{labelled(suite)}",
            log:
                f"results/logs/conducts/{suite}/play.log",
            resources:
                mem_mb=2048,
                runtime=PLAN.parameters.minutes(),
            params:
                source=lambda w, suite=suite: PLAN.parameters.source(
                    "cards.conducts", suite, "world", "conducts", "audit"
                ),
                config=PLAN.parameters.conducts_config(suite),
                files=files,
                python=python,
            shell:
                program("cards.conducts")
