"""Assay: from the tasks of a benchmark to verified tables and figures.

    snakemake --cores all all          everything that config/config.yaml asks for
    snakemake --cores all petri        one suite
    snakemake --cores all reproduce    everything, then the verdict

docs/architecture.md has the picture; `make help` the everyday commands.
"""

import sys

sys.path.insert(0, "src")

from snakemake.utils import min_version

from assay.errors import AssayError
from assay.build.planning.plan import Plan
from assay.build.store import FROZEN_VIEW

min_version("9.20")


include: "rules/snakemake.smk"  # deviations from the defaults of Snakemake, each with its reason
include: "rules/plan.smk"  # what there is to build, and how a rule names its program


# Taken only by `--software-deployment-method apptainer`; docs/container.md says how to build it.
container: "assay.sif"


wildcard_constraints:
    suite=PATTERN,
    view=f"(?:{re.escape(FROZEN_VIEW)})?",
    agent=PATTERN,
    shard="0|[1-9][0-9]*",


rule all:
    """Every table and figure, and the manifest of what was built."""
    input:
        PROMISED,
        "results/built.json",
        "reports/verdict.html",


include: "rules/tasks.smk"
include: "rules/artefacts.smk"
include: "rules/calibration.smk"
include: "rules/validation.smk"
include: "rules/episodes.smk"
include: "rules/scores.smk"
include: "rules/audit.smk"
include: "rules/opinions.smk"
include: "rules/tables.smk"
include: "rules/figures.smk"
include: "rules/validity.smk"
include: "rules/report.smk"
include: "rules/verify.smk"
include: "rules/collider_scan.smk"
