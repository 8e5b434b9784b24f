"""The plan of a build: the files that it promises, the inputs of each job, and its parameters.

A job works on a shard of items (`assay.build.planning.shards`). This module runs while Snakemake builds its
graph of jobs, so to be fast it imports no numpy and reads no table.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from assay.build.planning.contents import Contents
from assay.build.planning.inputs import Inputs
from assay.build.planning.parameters import Parameters
from assay.config.loading import load
from assay.config.models import Config
from assay.errors import ConfigError


class Plan:
    """The plan of a configuration in three parts, whose methods the rules call.

    Attributes:
        contents: The suites, sets, agents, judges, and the files that the build promises.
        inputs: The shards, and the files that each job reads.
        parameters: The configuration of each job and the fingerprint of its source.
    """

    def __init__(
        self, config: Config, root: Path = Path(), view: str = "", twice: Iterable[str] = ()
    ) -> None:
        self.contents = Contents(config, root, view, twice)
        self.inputs = Inputs(self.contents)
        self.parameters = Parameters(self.contents, self.inputs)

    @classmethod
    def of(cls, given: Mapping[str, Any], files: Sequence[str], *, within_job: bool = False) -> Plan:
        """Return the plan of a run of Snakemake.

        Args:
            given: Snakemake's `config`; `--config key=value` overrides top-level keys.
            files: The files of `--configfile`; the default is config/config.yaml.
            within_job: Whether this is the Snakemake process of a cluster job. It does not check where the
                files in `results/` come from, as this was checked when the run began.

        Raises:
            ConfigError: If the configuration is wrong, or Snakemake has no record of tables in `results/`.
        """
        if len(files) > 1:
            raise ConfigError(f"{len(files)} config files are given", "give one: --configfile FILE")
        path = Path(files[0]) if files else Path("config/config.yaml")
        # With --configfile, `given` repeats what that file holds, with the overrides; that does no harm.
        plan = cls(load(path, given))
        plan.check()
        if not within_job:  # within a run, Snakemake has not recorded yet what other jobs have just written
            _check_copied_results(plan.contents.suites)
        return plan

    def check(self) -> None:
        """Check that the files of every set are complete.

        An error here has a clear message; within a rule, Snakemake would show a traceback.

        Raises:
            ConfigError: If the folder of a set is not complete.
        """
        for suite in self.contents.suites:
            self.contents.task_sets.sizes(suite, self.contents.sets(suite))

    @property
    def view(self) -> str:
        """The folder of the files that show several agents; see `Contents`."""
        return self.contents.view

    @cached_property
    def of_frozen(self) -> Plan | None:
        """The plan that covers the frozen agents alone, or `None` if no agent was added.

        It makes the files that show several agents a second time, below `FROZEN_VIEW`, so that they can be
        compared with the frozen files.
        """
        frozen = self.contents.of_frozen
        return None if frozen is None else Plan(frozen.config, frozen.root, frozen.view, frozen.twice)


def _check_copied_results(suites: Iterable[str]) -> None:
    """Refuse tables that Snakemake has no record of, because it would treat them as up to date.

    Raises:
        ConfigError: If there is such a table.
    """
    if os.environ.get("ASSAY_COPIED_RESULTS") == "trust":
        return
    for suite in suites:
        table = f"results/{suite}/tasks.parquet"
        if Path(table).exists() and not _is_recorded(table):
            raise ConfigError(
                f"{table} is there, but no record in .snakemake/metadata: Snakemake cannot know from which "
                "source these results were made",
                "either run `make clean` (the store gives back what is still right), or, after `assay "
                "verify` says identical, `ASSAY_COPIED_RESULTS=trust snakemake --touch --forceall all`",
            )


def _is_recorded(output: str) -> bool:
    """Whether Snakemake has recorded a file as made, or as incomplete after a killed run."""
    name = base64.urlsafe_b64encode(output.encode()).decode()
    return any(Path(".snakemake", kind, name).exists() for kind in ("metadata", "incomplete"))
