"""Where Snakemake is told to work otherwise than it does by itself, and why."""

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

# What a run without work costs. Snakemake imports pandas, a third of a second, to see whether a parameter
# is a data frame: none is. Of thousands of jobs, all of which stay, the collector finds nothing to collect.
sys.modules.setdefault("pandas", None)
gc.set_threshold(100_000, 50, 1000)

from snakemake import api, persistence
from snakemake import rules as snakemake_rules
from snakemake.output_index import OutputIndex
from snakemake.scheduling.job_scheduler import JobScheduler

from assay.build.preflight import check_places, check_programs

# Snakemake lets the run that submits a job record from which source and parameters its outputs were made. Where
# that run was killed nobody would, and they would pass as current for ever: so a cluster job records its own.
if workflow.remote_exec:
    persistence.ExecMode = SimpleNamespace(DEFAULT=workflow.exec_mode)

# The program takes the place of its shell: else it would go on when that alone is killed, and give outputs to a
# job that has failed.
shell.prefix("exec ")


class FunctionError(snakemake_rules.InputFunctionException):
    """What Snakemake raises for an exception in an input or parameter function; it keeps that exception."""

    def __init__(self, problem, *more, **named):
        super().__init__(problem, *more, **named)
        self.problem = problem


def print_clearly(problem, *more, print_exception=api.print_exception):
    """An `AssayError` ends the run with its place and remedy, without a traceback.

    Snakemake shows every exception that ends a run here.
    """
    cause = getattr(problem, "problem", problem)
    if isinstance(cause, AssayError):
        print(cause, file=sys.stderr)
        sys.exit(cause.exit_code)
    print_exception(problem, *more)


snakemake_rules.InputFunctionException = FunctionError
api.print_exception = print_clearly

# Snakemake asks for the signature of each function below a dozen times a job.
inspect.signature = functools.cache(inspect.signature)

# It also asks which rules make a file as often as some job needs that file, and the answer stays the same.
OutputIndex.match_producers = functools.cache(OutputIndex.match_producers)


# By which executor jobs are to run is known only when all rules are read.
build_dag = workflow._build_dag


def check_then_build_dag():
    """Without the programs that submit a cluster's jobs, Snakemake would plan, and then wait for ever."""
    if workflow.executor_plugin:
        check_programs(workflow.executor_plugin.name)
    build_dag()


workflow._build_dag = check_then_build_dag


def tell_unwritable():
    """A disk that is full takes no log: then the program that met it could not say so, and Snakemake may not."""
    if not ENDED_WELL:
        try:
            check_places(Path())
        except AssayError as problem:
            print(problem, file=sys.stderr)


ENDED_WELL = []

SECONDS_BETWEEN_REPORTS = 30


def report_progress(scheduler):
    """Without a terminal there is no progress bar: say now and then how many jobs are done, and what is at work."""
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
    """Let a cluster job run its programs itself.

    By itself it starts a step of the job, and in that Snakemake once more, which costs more than most programs. The
    tasks of an array learn from that first Snakemake which job is theirs.
    """
    from snakemake_executor_plugin_slurm import Executor

    two_steps = Executor.additional_general_args
    Executor.additional_general_args = lambda executor: (
        two_steps(executor) if executor.array_jobs else "--executor local"
    )
