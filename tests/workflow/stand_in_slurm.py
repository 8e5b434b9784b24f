"""What stands in for SLURM where it is not installed: scripts, and an executor that calls `sbatch`."""

from __future__ import annotations

from pathlib import Path

PLUGIN = """
import subprocess

from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor
from snakemake_interface_executor_plugins.settings import CommonSettings

common_settings = CommonSettings(
    non_local_exec=True, implies_no_shared_fs=False, job_deploy_sources=False,
    pass_default_storage_provider_args=True, pass_default_resources_args=True,
    pass_envvar_declarations_to_cmd=False, auto_deploy_default_storage_provider=False,
)


class Executor(RemoteExecutor):
    def run_job(self, job):
        subprocess.run(["sbatch"], check=True)

    async def check_active_jobs(self, active_jobs):
        for job in active_jobs:
            yield job

    def cancel_jobs(self, active_jobs):
        pass
"""


def install_plugin(checkout: Path) -> None:
    """Make `--executor slurm` call `sbatch` without arguments for each job, and then wait for ever.

    `workflow/run` looks for modules in the checkout first.
    """
    package = checkout / "snakemake_executor_plugin_slurm"
    package.mkdir()
    (package / "__init__.py").write_text(PLUGIN)


def write_program(folder: Path, name: str, text: str) -> None:
    """A shell script in that folder."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)
