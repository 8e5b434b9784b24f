"""The plan of this run: the configuration as shards, inputs and parameters (see assay.plan)."""

import functools
import inspect
import re
import shlex
from pathlib import Path

LONGEST_COMMAND = 60_000  # bytes; Linux takes 131,072 as one argument of a shell


def ending_clearly(function):
    """The same function, but an `AssayError` ends the run with its place and remedy, without a traceback."""

    @functools.wraps(function)
    def ending(*arguments, **named):
        try:
            return function(*arguments, **named)
        except AssayError as problem:
            print(problem, file=sys.stderr)
            sys.exit(problem.exit_code)

    return ending


CONFIG_FILES = [str(file) for file in workflow.config_settings.configfiles]
PLAN = ending_clearly(Plan.of)(config, CONFIG_FILES, within_job=not workflow.is_main_process)
for name, question in inspect.getmembers(PLAN, inspect.ismethod):
    if not name.startswith("_"):
        setattr(PLAN, name, ending_clearly(question))

for suite, reason in PLAN.left_out.items():
    print(f"note: {suite} is left out: {reason}", file=sys.stderr)

PATTERN = "[a-z0-9][a-z0-9._-]*"
PROMISED = [file for suite in PLAN.suites for file in PLAN.targets(suite)] + PLAN.common_targets()


def program(name):
    """The command line of a program: its source, its configuration, its files, its log."""
    return (
        f"{{sys.executable:q}} workflow/scripts/{name}.py {{params.source}}"
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
    return lambda w: PLAN.source(stage, w.suite, *rooms)


def player(stage, *rooms):
    """The same for a stage in which an agent plays."""
    return lambda w: PLAN.player_source(stage, w.suite, w.agent, *rooms)
