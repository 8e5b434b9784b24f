"""The plan of this run: the configuration as shards, inputs and parameters (see assay.plan)."""

import re
import shlex
from pathlib import Path

# Snakemake imports pandas, a third of a second, to see whether a parameter is a data frame. None is.
sys.modules.setdefault("pandas", None)

LONGEST_COMMAND = 60_000  # bytes; Linux takes 131,072 as one argument of a shell

try:
    PLAN = Plan.of(config, [str(file) for file in workflow.config_settings.configfiles])
except AssayError as problem:
    # Snakemake would show a traceback; who mistyped a key needs its place and the remedy.
    print(problem, file=sys.stderr)
    sys.exit(problem.exit_code)

PATTERN = "[a-z0-9][a-z0-9._-]*"


def program(name):
    """The command line of a program: its source, its configuration, its files, its log."""
    return (
        f"{{sys.executable}} workflow/scripts/{name}.py --roots {{params.roots}}"
        " --fingerprint {params.fingerprint} --config {params.config:q} {params.files} > {log:q} 2>&1"
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
    """The source of a stage and of the rooms it calls, as parameter functions."""
    roots = lambda w: PLAN.roots(stage, w.suite, *rooms)
    return roots, lambda w: PLAN.fingerprint(roots(w))


def player(stage, *rooms):
    """The same for a stage in which an agent plays."""
    roots = lambda w: PLAN.player_roots(stage, w.suite, w.agent, *rooms)
    return roots, lambda w: PLAN.fingerprint(roots(w))


def merging(table):
    """The same for the merge of a table's shards."""
    roots = PLAN.merge_roots(table)
    return roots, PLAN.fingerprint(roots)
