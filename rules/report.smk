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


for suite, reason in PLAN.left_out.items():

    rule:
        name:
            suite
        params:
            reason=f"error: {suite} cannot be built: {reason}",
        shell:
            "printf '%s\n' {params.reason:q} >&2; exit 1"
