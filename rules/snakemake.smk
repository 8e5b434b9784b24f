"""Changes to how Snakemake works, each with its reason."""

import atexit
import functools
import gc
import inspect
import logging
import threading
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

# These two lines shorten a run without work. Snakemake imports pandas, which takes a third of a second, only to see
# whether a parameter is a data frame, and none is. Jobs live as long as the run, so there is no garbage to collect.
sys.modules.setdefault("pandas", None)
gc.set_threshold(100_000, 50, 1000)

from snakemake import api, persistence
from snakemake import rules as snakemake_rules
from snakemake.output_index import OutputIndex
from snakemake.scheduling.job_scheduler import JobScheduler

from assay.build.preflight import check_places, check_programs

# In Snakemake the run that submits a job records the source and the parameters of its outputs. If that run is
# killed nobody does, and the outputs would pass as current forever. So a cluster job records its own.
if workflow.remote_exec:
    persistence.ExecMode = SimpleNamespace(DEFAULT=workflow.exec_mode)

# The program replaces its shell. Otherwise it would go on when only the shell is killed, and write outputs of a job
# that Snakemake takes for failed.
shell.prefix("exec ")


class FunctionError(snakemake_rules.InputFunctionException):
    """Snakemake's exception for an error in an input or parameter function, which also keeps that error."""

    def __init__(self, problem, *more, **named):
        super().__init__(problem, *more, **named)
        self.problem = problem


def print_clearly(problem, *more, print_exception=api.print_exception):
    """Print an `AssayError` with its place and remedy and without a traceback.

    Snakemake calls this function for every exception that ends a run.
    """
    cause = getattr(problem, "problem", problem)
    if isinstance(cause, AssayError):
        print(cause, file=sys.stderr)
        sys.exit(cause.exit_code)
    print_exception(problem, *more)


snakemake_rules.InputFunctionException = FunctionError
api.print_exception = print_clearly

# Snakemake reads the signature of each function in the rules a dozen times for each job.
inspect.signature = functools.cache(inspect.signature)

# It also looks up the rules that make a file each time a job needs the file, and the answer never changes.
OutputIndex.match_producers = functools.cache(OutputIndex.match_producers)


# By which executor jobs are to run is known only when all rules are read.
build_dag = workflow._build_dag


def check_then_build_dag():
    """Check for the programs of the cluster first, since Snakemake would wait forever without them."""
    if workflow.executor_plugin:
        check_programs(workflow.executor_plugin.name)
    build_dag()


workflow._build_dag = check_then_build_dag


def tell_unwritable():
    """Say that a disk is full where a run has failed: no log could hold the message of the job that met it."""
    if not ENDED_WELL:
        try:
            check_places(Path())
        except AssayError as problem:
            print(problem, file=sys.stderr)


ENDED_WELL = []

SECONDS_BETWEEN_REPORTS = 30


def report_progress(scheduler):
    """Print the number of finished jobs and the running ones at intervals, where there is no progress bar."""
    while True:
        time.sleep(SECONDS_BETWEEN_REPORTS)
        with scheduler._lock:
            done, running = scheduler.finished_jobs, list(scheduler.running)
        rules = Counter(part.rule.name for job in running for part in (job if job.is_group() else [job]))
        at_work = ", ".join(f"{number} {name}" for name, number in sorted(rules.items()))
        print(f"{done} of {len(workflow.dag)} jobs are done; at work: {at_work}", file=sys.stderr, flush=True)


onsuccess:
    ENDED_WELL.append(True)


# Where jobs run is known only now that all rules are read, and that it is no dry run.
onstart:
    atexit.register(tell_unwritable)
    if workflow.is_main_process and not sys.stderr.isatty():
        threading.Thread(target=report_progress, args=(workflow.scheduler,), daemon=True).start()
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
    """Let the Snakemake of a cluster job run its programs itself.

    Normally it starts a step of the cluster job with another Snakemake, which takes longer than most programs. Tasks
    of an array need both, because the first one tells them which job is theirs.
    """
    from snakemake_executor_plugin_slurm import Executor

    two_steps = Executor.additional_general_args
    Executor.additional_general_args = lambda executor: (
        two_steps(executor) if executor.array_jobs else "--executor local"
    )
