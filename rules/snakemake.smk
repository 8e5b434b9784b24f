"""Where Snakemake is told to work otherwise than it does by itself, and why."""

import atexit
import functools
import gc
import inspect
import logging
from pathlib import Path
from types import SimpleNamespace

# What a run without work costs. Snakemake imports pandas, a third of a second, to see whether a parameter
# is a data frame: none is. Of thousands of jobs, all of which stay, the collector finds nothing to collect.
sys.modules.setdefault("pandas", None)
gc.set_threshold(100_000, 50, 1000)

from snakemake import persistence
from snakemake.output_index import OutputIndex
from snakemake.scheduling.job_scheduler import JobScheduler

from assay.preflight import check_places

# Snakemake lets the run that submits a job record from which source and parameters its outputs were made. Where
# that run was killed nobody would, and they would pass as current for ever: so a cluster job records its own.
if workflow.remote_exec:
    persistence.ExecMode = SimpleNamespace(DEFAULT=workflow.exec_mode)

# The program takes the place of its shell: else it would go on when that alone is killed, and give outputs to a
# job that has failed.
shell.prefix("exec ")

# Snakemake asks for the signature of each function below a dozen times a job.
inspect.signature = functools.cache(inspect.signature)

# It also asks which rules make a file as often as some job needs that file, and the answer stays the same.
OutputIndex.match_producers = functools.cache(OutputIndex.match_producers)


def tell_unwritable():
    """A disk that is full takes no log: then the program that met it could not say so, and Snakemake may not."""
    if not ENDED_WELL:
        try:
            check_places(Path())
        except AssayError as problem:
            print(problem, file=sys.stderr)


ENDED_WELL = []


onsuccess:
    ENDED_WELL.append(True)


# Where jobs run is known only now that all rules are read, and that it is no dry run.
onstart:
    atexit.register(tell_unwritable)
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
