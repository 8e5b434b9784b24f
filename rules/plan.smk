"""The plan of this run: the configuration as shards, inputs and parameters (see assay.plan)."""

import functools
import gc
import inspect
import logging
import re
import shlex
from pathlib import Path
from types import SimpleNamespace

# What a run without work costs. Snakemake imports pandas, a third of a second, to see whether a parameter
# is a data frame: none is. Of thousands of jobs, all of which stay, the collector finds nothing to collect.
sys.modules.setdefault("pandas", None)
gc.set_threshold(100_000, 50, 1000)

from snakemake import persistence
from snakemake.output_index import OutputIndex
from snakemake.scheduling.job_scheduler import JobScheduler

# Snakemake lets the run that submits a job record from which source and parameters its outputs were made. Where
# that run was killed nobody would, and they would pass as current for ever: so a cluster job records its own.
if workflow.remote_exec:
    persistence.ExecMode = SimpleNamespace(DEFAULT=workflow.exec_mode)

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

# Snakemake asks for the signature of each function below a dozen times a job.
inspect.signature = functools.cache(inspect.signature)

# It also asks which rules make a file as often as some job needs that file, and the answer stays the same.
OutputIndex.match_producers = functools.cache(OutputIndex.match_producers)


# Where jobs run is known only now that all rules are read.
onstart:
    if workflow.local_exec:
        # To keep to a rate of submissions Snakemake looks for jobs again after a second, whenever it has looked: these
        # timers never end, so after n jobs it looks n times a second. On one machine the cores are the limit.
        JobScheduler._schedule_reevalutation = lambda scheduler, delay: None
    else:
        # When a group fails, the logger wants to show the logs of programs that had not begun, and there are none.
        logging.raiseExceptions = False
    if workflow.executor_plugin.name == "slurm":
        run_in_one_step()


def run_in_one_step():
    """Let a cluster job run its programs itself.

    By itself it starts a step of the job, and in that Snakemake once more, which costs more than most programs. The
    tasks of an array learn from that first Snakemake which job is theirs.
    """
    from snakemake_executor_plugin_slurm import Executor

    two_steps = Executor.additional_general_args
    Executor.additional_general_args = lambda executor: (
        two_steps(executor) if executor.array_jobs else "--executor local"
    )


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
