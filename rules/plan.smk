"""The plan of this run, from which rules take their shards, inputs and parameters (see assay.build.planning.plan)."""

import os
import re
import shlex
from pathlib import Path

from snakemake.settings.types import DeploymentMethod

LONGEST_COMMAND = 60_000  # bytes; Linux limits an argument, here the command of the shell, to 131,072


CONFIG_FILES = [str(file) for file in workflow.config_settings.configfiles]
PLAN = Plan.of(config, CONFIG_FILES, within_job=not workflow.is_main_process)
VIEWS = {plan.view: plan for plan in (PLAN, PLAN.of_frozen) if plan is not None}
"""The plans by the folder of their files: one for all agents and, if agents were added, one for the frozen agents."""

SUFFIXES = {view: "_frozen" if view else "" for view in VIEWS}
"""The suffix of the names of rules that exist once for each view."""

for suite, reason in PLAN.contents.left_out.items():
    print(f"note: {suite} is left out: {reason}", file=sys.stderr)
if workflow.is_main_process:  # so that cluster jobs do not repeat it
    for recordings in PLAN.contents.uncovered:
        print(f"note: {recordings}", file=sys.stderr)

PATTERN = "[a-z0-9][a-z0-9._-]*"
PROMISED = [
    file
    for contents in (plan.contents for plan in VIEWS.values())
    for suite in contents.suites
    for file in contents.targets(suite)
]
PROMISED += [file for plan in VIEWS.values() for file in plan.contents.common_targets()]


def program(stage):
    """Return the command line of a job of a stage, with its source, configuration, files and log."""
    return (
        f"{{params.python:q}} workflow/scripts/stage.py {stage} {{params.source}}"
        " --config {params.config:q} {params.files} > {log:q} 2>&1"
    )


def files(wildcards, input, output):
    """Return the names and paths of inputs and outputs as command-line arguments.

    If they are too long, they are written to a file, and the argument is `@` with the path of that file.
    Snakemake does not compare parameters that depend on the input, because it compares the input itself.
    """
    arguments = [word for name, paths in input.items() for word in ["--in", name, *each(paths)]]
    arguments += [word for name, path in output.items() for word in ["--out", name, str(path)]]
    if sum(map(len, arguments)) < LONGEST_COMMAND:
        return shlex.join(arguments)
    listed = Path(".cache/arguments") / output[0].replace(os.sep, "+")
    listed.parent.mkdir(parents=True, exist_ok=True)
    listed.write_text("\n".join(arguments) + "\n")
    return f"@{listed}"


def python(wildcards, input):
    """Return the interpreter of a job: the one that runs Snakemake, or that of the image where jobs run in one.

    Its path differs between machines. Because this function takes the input, Snakemake does not compare the result.
    """
    return (
        "python"
        if DeploymentMethod.APPTAINER in workflow.deployment_settings.deployment_method
        else sys.executable
    )


def merged(table):
    """Return an input function that gives the merged files of a common table of the suite."""
    return lambda w: VIEWS[w.view].inputs.merged(table, w.suite)


def each(paths):
    """Return one path or several paths as a list."""
    return [paths] if isinstance(paths, str) else list(paths)


def one_of(names):
    """Return a wildcard constraint that matches exactly these names."""
    return "|".join(re.escape(name) for name in names) or "(?!)"


def source(stage, *rooms):
    """Return a parameter function that gives the source of a stage and of the rooms that it calls."""
    return lambda w: PLAN.parameters.source(stage, w.suite, *rooms)


def player(stage, *rooms):
    """Return a parameter function that gives the source of a stage in which an agent plays, and of these rooms."""
    return lambda w: PLAN.parameters.player_source(stage, w.suite, w.agent, *rooms)
