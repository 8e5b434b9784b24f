"""Report: what people look at, and one target a suite.

In:  reports/figures/
Out: targets only
"""


rule report:
    """Every figure of every suite."""
    input:
        [file for file in PROMISED if file.startswith("reports/")],


for suite in PLAN.suites:

    rule:
        name:
            suite
        input:
            PLAN.targets(suite),
