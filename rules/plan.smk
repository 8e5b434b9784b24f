"""The plan of this run: the configuration as shards, inputs and parameters (see assay.build.planning.plan)."""

import re
import shlex
from pathlib import Path

LONGEST_COMMAND = 60_000  # bytes; Linux takes 131,072 as one argument of a shell


CONFIG_FILES = [str(file) for file in workflow.config_settings.configfiles]
PLAN = Plan.of(config, CONFIG_FILES, within_job=not workflow.is_main_process)
VIEWS = {plan.view: plan for plan in (PLAN, PLAN.of_frozen) if plan is not None}
"""Plans by the folder of their files: of all agents, and where agents were added also of the frozen ones."""

SUFFIXES = {view: "_frozen" if view else "" for view in VIEWS}
"""The suffix of the names of rules that are written once for each view."""

for suite, reason in PLAN.contents.left_out.items():
    print(f"note: {suite} is left out: {reason}", file=sys.stderr)
if workflow.is_main_process:  # and not again in each job of a cluster
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
    """The command line of a job of a stage: its source, its configuration, its files, its log."""
    return (
        f"{{sys.executable:q}} workflow/scripts/stage.py {stage} {{params.source}}"
        " --config {params.config:q} {params.files} > {log:q} 2>&1"
    )


def files(wildcards, input, output):
    """The names and paths of inputs and outputs, as arguments; from a file where they are too many.

    Snakemake does not compare a parameter that depends on the input: it compares the input itself.
    """
    arguments = [word for name, paths in input.items() for word in ["--in", name, *each(paths)]]
    arguments += [word for name, path in output.items() for word in ["--out", name, str(path)]]
    if sum(map(len, arguments)) < LONGEST_COMMAND:
        return shlex.join(arguments)
    listed = Path(".cache/arguments") / output[0].replace("/", "+")
    listed.parent.mkdir(parents=True, exist_ok=True)
    listed.write_text("\n".join(arguments) + "\n")
    return f"@{listed}"


def each(paths):
    """One path or several as a list."""
    return [paths] if isinstance(paths, str) else list(paths)


def one_of(names):
    """A wildcard constraint that admits exactly these names."""
    return "|".join(re.escape(name) for name in names) or "(?!)"


def source(stage, *rooms):
    """The source of a stage and of the rooms it calls, as a parameter function."""
    return lambda w: PLAN.parameters.source(stage, w.suite, *rooms)


def player(stage, *rooms):
    """The same for a stage in which an agent plays."""
    return lambda w: PLAN.parameters.player_source(stage, w.suite, w.agent, *rooms)
