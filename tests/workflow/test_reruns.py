"""Exactly the work whose result can change is done again: a table of edits and the jobs that follow.

Each edit is made in a copy of a built checkout, and a dry run on the real DAG says what it would do. Below
the table some of the work is done, to see what the content store spares.
"""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
from collections.abc import Callable

import pytest
from tests.workflow.checkout import SMALL, Checkout, Work

SUITE = "tests/protocol/madeup"
RECORDINGS = "recordings/recorded/madeup/madeup-v0"
OPINIONS = "recordings/juror/madeup/madeup-v0/recorded"
TASKS = "tests/protocol/tasks/madeup/madeup-v0"
WORLD = f"{SUITE}/world.py"

# What follows from what. A rule stands for all its jobs, `rule:word` for those with such a wildcard.
SHOWN = "site manifest unverified"
METHOD = "profile viewer_madeup comparisons_madeup"
END = f"own_table figures leaderboard downloads_madeup {SHOWN}"
SUMMED = f"merge_summary {END}"
PLAYED = (
    "episodes sweep merge_episodes merge_events scores merge_scores audit merge_audit opinions summary "
    f"conducts_madeup validity {METHOD} {SUMMED}"
)
EVERYTHING = "tasks merge_tasks artefact calibration merge_calibration validation merge_validation " + PLAYED
SWEPT = (
    "merge_episodes:sweeper merge_scores:sweeper merge_audit:sweeper summary:sweeper validity "
    f"{METHOD} {SUMMED}"
)


def of(agent: str, shards: str = "") -> str:
    """The work of one agent whose events are kept, or of one of its shards only, and what follows."""
    played = " ".join(f"{rule}:{agent}{shards}" for rule in ("episodes", "scores", "audit"))
    merged = " ".join(f"merge_{table}:{agent}" for table in ("episodes", "events", "scores", "audit"))
    return f"{played} {merged} opinions:juror summary:{agent} validity {METHOD} {SUMMED}"


Edit = Callable[[Checkout], object]


def code(file: str, statement: str = "EDITED = 1", **how: bool) -> Edit:
    """Add a statement to a module."""
    return lambda checkout: checkout.append(file, f"\n\n{statement}\n", **how)


def text(file: str, old: str, new: str, **how: bool) -> Edit:
    """Replace a text of a file."""
    return lambda checkout: checkout.replace(file, old, new, **how)


def swap_attempts(checkout: Checkout) -> None:
    """Two agents exchange how often they try."""
    checkout.replace("config/test/small-agents.yaml", "attempts: 2, ", "")
    checkout.replace(
        "config/test/small-agents.yaml", "seconds: 1}\n  sweeper", "attempts: 2, seconds: 1}\n  sweeper"
    )


def add_model(checkout: Checkout) -> None:
    """One more model, of which nothing is recorded."""
    checkout.append(
        "config/test/small-agents.yaml",
        "  absent:\n    kind: model\n    transport: {kind: fake, script: urn}\n    suites: {madeup: all}\n",
    )


EDITS: dict[str, tuple[Edit, str]] = {
    # --- a suite's rooms
    "world": (code(WORLD), PLAYED),
    "world, under its old time": (code(WORLD, keep_time=True), PLAYED),
    "what world, scoring and audit share": (code(f"{SUITE}/answers.py"), PLAYED),
    "solvers": (code(f"{SUITE}/solvers.py"), f"{of('exact')} sweep {SWEPT}"),
    "scoring rule": (
        text(f"{SUITE}/scoring.py", "1 - abs(answer - red) / balls", "1.0 - abs(answer - red) / balls"),
        f"scores merge_scores summary sweep {SWEPT}",
    ),
    "audit": (code(f"{SUITE}/audit.py"), f"audit merge_audit sweep conducts_madeup {SWEPT}"),
    "opinion": (code(f"{SUITE}/opinion.py"), f"opinions {END}"),
    "analysis": (code(f"{SUITE}/analysis.py"), END),
    "a table": (
        code(f"{SUITE}/tables/tiers.py"),
        f"own_table:tiers figures leaderboard downloads_madeup {SHOWN}",
    ),
    "figures": (code(f"{SUITE}/figures.py"), f"figures {SHOWN}"),
    "a drawing": (code(f"{SUITE}/drawings/scores.py"), f"figures {SHOWN}"),
    "reporting": (code(f"{SUITE}/reporting.py"), f"leaderboard profile validity downloads_madeup {SHOWN}"),
    "viewer": (code(f"{SUITE}/viewer.py"), "viewer_madeup manifest unverified"),
    "task generator": (
        code(f"{SUITE}/tasks.py"),
        f"tasks merge_tasks calibration merge_calibration {PLAYED}",
    ),
    "artefacts": (
        code(f"{SUITE}/artefacts.py"),
        f"artefact calibration merge_calibration validation merge_validation {PLAYED}",
    ),
    "calibration": (code(f"{SUITE}/calibration.py"), f"calibration merge_calibration {END}"),
    "validation": (code(f"{SUITE}/validation.py"), f"validation merge_validation {END}"),
    # --- the spine
    "plotting": (code("src/assay/plotting.py"), f"figures validity downloads_madeup {SHOWN}"),
    "template of a page": (
        text("src/assay/report/templates/base.html", "Overview", "Front page"),
        f"viewer_madeup comparisons_madeup {SHOWN}",
    ),
    "stage": (code("src/assay/stages/summary.py"), f"summary {SUMMED}"),
    "program": (code("workflow/scripts/stage.py"), EVERYTHING),
    "schema": (code("src/assay/tables/schemas/summary.py"), f"summary {SUMMED}"),
    "harness": (code("src/assay/episodes/harness.py"), PLAYED),
    "format of tables": (code("src/assay/tables/arrow.py"), EVERYTHING),
    "lock file": (text("envs/base.lock", "pyyaml==", "pyyaml==0.0."), EVERYTHING),
    # --- configuration
    "config value": (
        lambda c: c.append("config/test/small-suite.yaml", "settings: {calibration: {guesses: 21}}\n"),
        f"calibration merge_calibration {END}",
    ),
    "two config values swapped": (swap_attempts, f"{of('exact')} sweep {SWEPT}"),
    "costs, and so the size of shards": (
        text("config/test/small-suite.yaml", "episode: 10", "episode: 5"),
        of("recorded", ":0"),
    ),
    "what a judge is": (
        text("config/test/small-agents.yaml", 'scripts:juror"}', 'scripts:juror", seed: 1}'),
        f"opinions {END}",
    ),
    "a model without recordings": (
        add_model,
        "merge_episodes:absent merge_events:absent merge_scores:absent merge_audit:absent summary:absent "
        f"validity {METHOD} {SUMMED}",
    ),
    # --- inputs
    "recording, under its old time": (
        lambda c: c.append(f"{RECORDINGS}/urn-0006.0.jsonl", "\n", keep_time=True),
        of("recorded", ":1"),
    ),
    "recording removed": (lambda c: c.remove(f"{RECORDINGS}/urn-0002.0.jsonl"), of("recorded", ":0")),
    "the only recording of a shard removed": (
        lambda c: c.remove(f"{RECORDINGS}/urn-0006.0.jsonl"),
        of("recorded", ":no-such-shard"),
    ),
    "opinion, under its old time": (
        lambda c: c.append(f"{OPINIONS}/urn-0006.0.support.json", "\n", keep_time=True),
        f"opinions {END}",
    ),
    "opinion removed": (lambda c: c.remove(f"{OPINIONS}/urn-0002.0.support.json"), f"opinions {END}"),
    "frozen task, under its old time": (
        lambda c: c.append(f"{TASKS}/00000.json", " ", keep_time=True),
        f"tasks merge_tasks calibration merge_calibration {of('exact')} {of('recorded')} sweep "
        f"conducts_madeup {SWEPT}",
    ),
    # --- results
    "table deleted": (
        lambda c: c.remove("results/madeup/tables/tiers.parquet"),
        f"own_table:tiers figures leaderboard downloads_madeup {SHOWN}",
    ),
    "site deleted": (
        lambda c: c.remove("reports"),
        # The labelled set of known conduct is a file of the site, and the table of detection is made of it.
        "conducts_madeup own_table leaderboard figures validity downloads_madeup viewer_madeup "
        f"comparisons_madeup {SHOWN}",
    ),
}


def touch_everything(checkout: Checkout) -> None:
    """New times for all that is not made."""
    for folder in ("src", "rules", "workflow", "config", "envs", "tests", "profiles", "recordings"):
        for file in (checkout.root / folder).rglob("*"):
            os.utime(file)
    os.utime(checkout.root / "Snakefile")


HARMLESS: dict[str, Edit] = {
    "settings": code(f"{SUITE}/settings.py"),
    "a module that nobody imports": code(f"{SUITE}/idle.py"),
    "store": code("src/assay/build/store.py"),
    "job wrapper": code("src/assay/build/job.py"),
    "fingerprint": code("src/assay/build/fingerprint.py"),
    "command line": code("src/assay/cli/main.py"),
    "configuration's types": code("src/assay/config/models.py"),
    "plan": code("src/assay/build/planning/plan.py"),
    "comment": code(WORLD, "# A word."),
    "docstring": text(f"{SUITE}/scoring.py", "How good an answer is", "How near an answer is"),
    "layout": text(
        WORLD,
        "    def close(self) -> None:\n        pass\n",
        '    def close(\n        self,\n    ) -> None:\n\n        """Nothing is open."""\n        pass\n',
    ),
    "comment of a rule": text("rules/scores.smk", "rule scores:", "# A word.\nrule scores:"),
    "resources of a rule": text("rules/scores.smk", "mem_mb=1024", "mem_mb=1025"),
    "comment of the configuration": lambda c: c.append(SMALL, "# A word.\n"),
    "comment of the lock file": lambda c: c.append("envs/base.lock", "# A word.\n"),
    "recording of an attempt that nobody asks for": lambda c: c.append(
        f"{RECORDINGS}/urn-0006.7.jsonl", "{}\n"
    ),
    "everything touched": touch_everything,
}


@pytest.fixture(scope="session")
def jobs(built):
    """All jobs of the DAG, and those that a further model would have."""
    found = built.to_do("--forceall")
    return found | {
        Work(job.rule, tuple("absent" if word == "recorded" else word for word in job.wildcards))
        for job in found
    }


def expand(words: str, jobs: frozenset[Work]) -> frozenset[Work]:
    """The jobs that the words of the table stand for."""
    found: set[Work] = set()
    for word in words.split():
        rule, _, wildcards = word.partition(":")
        of_rule = {job for job in jobs if job.rule == rule}
        assert of_rule, f"the table names a rule that does not exist: {rule}"
        found |= {job for job in of_rule if set(filter(None, wildcards.split(":"))) <= set(job.wildcards)}
    if "absent" not in words:
        found = {job for job in found if "absent" not in job.wildcards}
    return frozenset(found)


@pytest.mark.parametrize("edit", EDITS)
def test_exactly_the_work_that_can_change_is_done_again(copy, jobs, edit):
    change, expected = EDITS[edit]
    change(copy)
    assert copy.to_do() == expand(expected, jobs)


def test_nothing_is_done_again_where_no_result_can_change(copy):
    assert copy.to_do() == frozenset()
    for change in HARMLESS.values():
        change(copy)
    assert copy.to_do() == frozenset(), "make test-full says which edit it is"


@pytest.mark.full
@pytest.mark.parametrize("edit", HARMLESS)
def test_each_harmless_edit_is_harmless(copy, edit):
    HARMLESS[edit](copy)
    assert copy.to_do() == frozenset()


# --- work that is done, not only planned ------------------------------------------------------------------


def made(checkout: Checkout, how: str) -> set[str]:
    """The outputs that were computed, or restored, since `forget_how`."""
    return {output for output, came in checkout.how().items() if came == how}


def test_equal_results_end_the_rerun_and_the_way_back_is_restored(built, copy, jobs):
    code(WORLD)(copy)
    copy.forget_how()
    copy.build()
    shards = "results/madeup/shards/episodes"
    assert made(copy, "computed") == {
        f"{shards}/exact/0.parquet",
        f"{shards}/recorded/0.parquet",
        f"{shards}/recorded/1.parquet",
        f"{shards}/sweeper/0.parquet",
        "results/madeup/conducts.parquet",
    }
    assert len(made(copy, "restored")) == len(expand(PLAYED, jobs)) - 5
    assert copy.manifest() == built.manifest()

    copy.replace(WORLD, "EDITED = 1\n", "")
    copy.forget_how()
    copy.build()
    assert made(copy, "computed") == set()
    assert len(made(copy, "restored")) == len(expand(PLAYED, jobs))
    assert copy.manifest() == built.manifest()


@pytest.mark.full
def test_another_shard_size_and_back(built, copy, jobs):
    copy.forget_how()
    copy.build("--config", "shard_size=all")
    assert "results/madeup/shards/episodes/recorded/0.parquet" in made(copy, "computed")
    assert copy.manifest() == built.manifest()

    copy.forget_how()
    # The other shard's files are still there, as they were.
    assert copy.to_do() == expand(of("recorded", ":0"), jobs)
    copy.build()
    assert made(copy, "computed") == set()
    assert copy.manifest() == built.manifest()


def test_a_recording_comes_and_goes(built, copy, jobs):
    recording = copy.root / RECORDINGS / "urn-0006.0.jsonl"
    aside = copy.root / "aside.jsonl"
    recording.rename(aside)
    copy.build()
    assert copy.manifest() != built.manifest()

    aside.rename(recording)
    copy.forget_how()
    assert copy.to_do() == expand(of("recorded", ":no-such-shard"), jobs)  # its own is still there
    copy.build()
    assert made(copy, "computed") == set()
    assert copy.manifest() == built.manifest()


# --- results that come from elsewhere ---------------------------------------------------------------------


@pytest.fixture
def clone(tmp_path):
    """A copy in which nothing is built, and the recordings are still to come."""
    return Checkout.fresh(tmp_path / "clone")


def carry(built: Checkout, to: Checkout, *folders: str) -> None:
    """Copy folders of a built checkout, with new times."""
    for folder in folders:
        subprocess.run(["cp", "--recursive", built.root / folder, to.root], check=True)


@pytest.mark.full
def test_the_store_alone_gives_everything_back(built, clone):
    carry(built, clone, ".store", "recordings")
    clone.build()
    assert made(clone, "computed") == set()
    assert len(made(clone, "restored")) == len(clone.to_do("--forceall"))
    assert clone.manifest() == built.manifest()


def test_results_with_their_records_are_current(built, clone, jobs):
    carry(built, clone, "results", "reports", ".snakemake", "recordings")
    assert clone.to_do() == frozenset()
    code(WORLD)(clone)
    assert clone.to_do() == expand(PLAYED, jobs)


def lose_all_records(checkout: Checkout) -> None:
    """Without a trace of Snakemake."""
    checkout.remove(".snakemake")


def lose_records_after_a_dry_run(checkout: Checkout) -> None:
    """Snakemake makes its empty folders even where it builds nothing."""
    shutil.rmtree(checkout.root / ".snakemake/metadata")
    (checkout.root / ".snakemake/metadata").mkdir()


def lose_the_record_of_one_table(checkout: Checkout) -> None:
    """As where another suite was built here, and this one was copied in."""
    name = base64.urlsafe_b64encode(b"results/madeup/tasks.parquet").decode()
    checkout.remove(f".snakemake/metadata/{name}")


@pytest.mark.parametrize(
    "lose", [lose_all_records, lose_records_after_a_dry_run, lose_the_record_of_one_table]
)
def test_results_without_their_records_are_refused(copy, lose):
    lose(copy)
    code(WORLD)(copy)  # the results are stale, and newer than all source but this
    before = copy.manifest()
    for run in (copy.dry_run(), copy.do(*copy.build_command())):
        assert run.code == 1
        assert "error: results/madeup/tasks.parquet is there, but no record" in run.output
        assert "remedy: either run `make clean`" in run.output
        assert "Traceback" not in run.output
    assert copy.manifest() == before


def test_the_first_remedy_for_copied_results(built, copy):
    lose_all_records(copy)
    assert copy.do("make", "clean").code == 0
    assert not (copy.root / "results/madeup").exists()
    copy.build()
    assert made(copy, "computed") == set()
    assert copy.manifest() == built.manifest()


@pytest.mark.full
def test_the_second_remedy_for_copied_results(copy, jobs):
    lose_all_records(copy)
    refused = copy.dry_run().output
    assert "`ASSAY_COPIED_RESULTS=trust snakemake --touch --forceall all`" in refused
    trusted = copy.snakemake("--touch", "--forceall", ASSAY_COPIED_RESULTS="trust")
    assert trusted.code == 0, trusted.output
    assert copy.to_do() == frozenset()
    code(WORLD, keep_time=True)(copy)
    assert copy.to_do() == expand(PLAYED, jobs)
