"""The plan of a build: what exists, which files each job reads, and its parameters.

A job works on a shard of items (`assay.build.planning.shards`). This module runs while Snakemake builds its
graph of jobs, so it imports no numpy and reads no table.
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
        contents: suites, sets, agents, judges, and the files that the build promises.
        inputs: the shards, and the files that each job reads.
        parameters: the configuration of each job and the fingerprint of its source.
    """

    def __init__(
        self, config: Config, root: Path = Path(), view: str = "", twice: Iterable[str] = ()
    ) -> None:
        self.contents = Contents(config, root, view, twice)
        self.inputs = Inputs(self.contents)
        self.parameters = Parameters(self.contents, self.inputs)

    @classmethod
    def of(cls, given: Mapping[str, Any], files: Sequence[str], *, within_job: bool = False) -> Plan:
        """The plan of a run of Snakemake.

        Args:
            given: Snakemake's `config`; `--config key=value` overrides top-level keys.
            files: the files of `--configfile`; config/config.yaml where there are none.
            within_job: whether a cluster job plans again. It does not check where the files in `results/`
                come from, as this was checked when the run began.

        Raises:
            ConfigError: the configuration is wrong, or Snakemake has no record of tables in `results/`.
        """
        if len(files) > 1:
            raise ConfigError(f"{len(files)} config files are given", "give one: --configfile FILE")
        path = Path(files[0]) if files else Path("config/config.yaml")
        # With --configfile, `given` is what that file holds (and the overrides): no harm in giving it twice.
        plan = cls(load(path, given))
        plan.check()
        if not within_job:  # there, other jobs have just written what is not recorded yet
            _check_copied_results(plan.contents.suites)
        return plan

    def check(self) -> None:
        """Check every set with files now, so that a mistake there is a clear error and not one within a rule.

        Raises:
            ConfigError: the folder of a set is not complete.
        """
        for suite in self.contents.suites:
            self.contents.task_sets.sizes(suite, self.contents.sets(suite))

    @property
    def view(self) -> str:
        """The folder of the files that show several agents, see `Contents`."""
        return self.contents.view

    @cached_property
    def of_frozen(self) -> Plan | None:
        """The plan over the frozen agents alone; None where no agent was added.

        It makes the files that show several agents a second time, below `FROZEN_VIEW`, so that they can be
        compared with the frozen ones.
        """
        frozen = self.contents.of_frozen
        return None if frozen is None else Plan(frozen.config, frozen.root, frozen.view, frozen.twice)


def _check_copied_results(suites: Iterable[str]) -> None:
    """Refuse tables that Snakemake has no record of, because it would take them as current."""
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
    """Whether Snakemake has made a file, or was about to record it when it was killed."""
    name = base64.urlsafe_b64encode(output.encode()).decode()
    return any(Path(".snakemake", kind, name).exists() for kind in ("metadata", "incomplete"))
