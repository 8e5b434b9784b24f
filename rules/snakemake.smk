"""Changes to the behaviour of Snakemake, each with its reason."""

import atexit
import functools
import gc
import inspect
import json
import logging
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

# These two lines make a run without work faster. Snakemake imports pandas, which takes a third of a second, only to
# check whether a parameter is a data frame, and no parameter is one. The objects of jobs live as long as the run, so
# that garbage collection finds little.
sys.modules.setdefault("pandas", None)
gc.set_threshold(100_000, 50, 1000)

from snakemake import api, persistence
from snakemake import rules as snakemake_rules
from snakemake.output_index import OutputIndex
from snakemake.scheduling.job_scheduler import JobScheduler

from assay.build import forking, settled
from assay.build.preflight import check_places, check_programs

# In Snakemake, the process that submits a cluster job also records the source and the parameters of its outputs. If
# that process is killed, nothing is recorded, and the outputs would count as up to date forever. So each cluster job
# records its own outputs.
if workflow.remote_exec:
    persistence.ExecMode = SimpleNamespace(DEFAULT=workflow.exec_mode)

# The program replaces its shell. Otherwise, if only the shell is killed, the program would continue and write the
# outputs of a job that Snakemake treats as failed.
shell.prefix("exec ")


class FunctionError(snakemake_rules.InputFunctionException):
    """Snakemake's exception for an error in an input or parameter function, with that error as an attribute."""

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

# It also looks up the rules that make a file each time a job needs the file, although the result never changes.
OutputIndex.match_producers = functools.cache(OutputIndex.match_producers)


# The executor is known only after all rules are read, so the check is done when the graph of jobs is built.
build_dag = workflow._build_dag


def check_then_build_dag():
    """Check for the programs of the cluster first, since Snakemake would wait forever without them."""
    if workflow.executor_plugin:
        check_programs(workflow.executor_plugin.name)
    build_dag()
    if workflow.is_main_process:
        list_files(workflow.dag.jobs)


def list_files(jobs):
    """Write down which files this run depends on, so that the next one may see at once that none has changed."""
    jobs = list(jobs)
    outputs = {str(file) for job in jobs for file in job.output}
    inputs = {str(file) for job in jobs for file in job.input} - outputs
    files = {"inputs": sorted(inputs), "outputs": sorted(outputs)}
    Path(settled.FILES).write_text(json.dumps(files))


workflow._build_dag = check_then_build_dag


def tell_unwritable():
    """Print after a failed run that a disk is full; the log of the failed job could not hold this message."""
    if not ENDED_WELL:
        try:
            check_places(Path())
        except AssayError as problem:
            print(problem, file=sys.stderr)


ENDED_WELL = []

SECONDS_BETWEEN_REPORTS = 30


def report_progress(scheduler):
    """Print the numbers of finished and running jobs at intervals; it is used if there is no progress bar."""
    while True:
        time.sleep(SECONDS_BETWEEN_REPORTS)
        with scheduler._lock:
            done, running = scheduler.finished_jobs, list(scheduler.running)
        rules = Counter(part.rule.name for job in running for part in (job if job.is_group() else [job]))
        at_work = ", ".join(f"{number} {name}" for name, number in sorted(rules.items()))
        print(f"{done} of {len(workflow.dag)} jobs are done; at work: {at_work}", file=sys.stderr, flush=True)


onsuccess:
    ENDED_WELL.append(True)


# Only at this point is it known where jobs run, and that this is not a dry run.
onstart:
    atexit.register(tell_unwritable)
    if workflow.is_main_process and not sys.stderr.isatty():
        threading.Thread(target=report_progress, args=(workflow.scheduler,), daemon=True).start()
    if workflow.local_exec:
        fork_jobs()
        # To limit the rate of submissions, Snakemake sets a timer each time it looks for jobs to start, and looks again
        # after a second. The timers add up, so that after n jobs it looks n times a second. On one machine the number
        # of cores limits the jobs, so no timer is needed.
        JobScheduler._schedule_reevalutation = lambda scheduler, delay: None
    else:
        # When a group of jobs fails, the logger also tries to show the logs of jobs that have not started, which do
        # not exist. Its error message about this is suppressed.
        logging.raiseExceptions = False
    if workflow.executor_plugin.name == "slurm":
        run_in_one_step()


def fork_jobs():
    """Fork jobs from a process that has imported their libraries already (see assay.build.forking).

    Snakemake starts each job by `subprocess.Popen`, which its module `shell` knows under the name `sp`.
    """
    if forking.wanted(len(list(workflow.dag.needrun_jobs()))):
        jobs = forking.ForkedJobs()
        atexit.register(jobs.close)
        sys.modules["snakemake.shell"].sp = SimpleNamespace(**{**vars(subprocess), "Popen": jobs})


def run_in_one_step():
    """Let the Snakemake process of a cluster job run the programs itself.

    Normally it starts a step of the cluster job with another Snakemake process, which takes longer than most programs.
    Array jobs need both processes, because the first one tells each array task which job it runs.
    """
    from snakemake_executor_plugin_slurm import Executor

    two_steps = Executor.additional_general_args
    Executor.additional_general_args = lambda executor: (
        two_steps(executor) if executor.array_jobs else "--executor local"
    )
