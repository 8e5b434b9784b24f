"""Schedules of measured jobs: what they cannot beat, what they must reach, where measures come from."""

from __future__ import annotations

import argparse
import base64
import json
import random
from pathlib import Path

import pytest

from assay.build.forecast.makespan import add_arguments, main
from assay.build.forecast.measurement import Build, MeasuredJob, measured
from assay.build.paths import BUILT
from assay.errors import NotBuilt


def build(**jobs: tuple[float, str]) -> Build:
    """Jobs by name, with their seconds and the names of those that they wait for."""
    return Build(
        {
            name: MeasuredJob("rule", name, seconds, tuple(after.split()))
            for name, (seconds, after) in jobs.items()
        }
    )


def test_a_chain_gains_nothing_from_cores() -> None:
    chain = build(a=(1.0, ""), b=(2.0, "a"), c=(3.0, "b"))
    assert [chain.schedule(cores).makespan for cores in (1, 2, 128)] == [6.0, 6.0, 6.0]
    assert [job.name for job in chain.critical_path] == ["a", "b", "c"]


def test_independent_jobs_share_the_cores() -> None:
    free = build(**{f"j{n}": (1.0, "") for n in range(10)})
    assert [free.schedule(cores).makespan for cores in (1, 2, 5, 10, 100)] == [10.0, 5.0, 2.0, 1.0, 1.0]
    assert [round(free.schedule(cores).efficiency, 3) for cores in (1, 10, 100)] == [1.0, 1.0, 0.1]


def test_a_job_waits_for_all_its_inputs_and_for_no_other() -> None:
    fork = build(slow=(5.0, ""), quick=(1.0, ""), both=(1.0, "slow quick"), alone=(1.0, "quick"))
    assert fork.schedule(2).makespan == 6.0
    assert [job.name for job in fork.critical_path] == ["slow", "both"]


@pytest.mark.parametrize("seed", range(20))
def test_a_schedule_lies_between_its_bounds(seed: int) -> None:
    draw = random.Random(seed)
    jobs = {
        f"{n:02d}": (draw.uniform(0.1, 3), " ".join(f"{m:02d}" for m in range(n) if draw.random() < 0.1))
        for n in range(40)
    }
    random_build = build(**jobs)
    longest = sum(job.seconds for job in random_build.critical_path)
    for cores in (1, 2, 3, 8, 64):
        least = max(longest, random_build.work / cores)
        found = random_build.schedule(cores).makespan
        # Graham's bound: no list schedule is worse.
        assert least - 1e-9 <= found <= random_build.work / cores + longest * (1 - 1 / cores) + 1e-9
    assert random_build.schedule(64).makespan == pytest.approx(longest)


def record(
    root: Path, output: str, inputs: list[str], seconds: float, how: str = "computed", log: str = ""
) -> None:
    """What Snakemake and a job leave behind for one output."""
    name = base64.urlsafe_b64encode(output.encode()).decode()
    kept = root / ".snakemake/metadata" / name
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps({"rule": "made", "input": inputs, "log": [log or f"{output}.log"]}))
    told = root / "results/provenance" / f"{output}.json"
    told.parent.mkdir(parents=True, exist_ok=True)
    told.write_text(json.dumps({"cpu_seconds": seconds, "how": how}))


def test_the_jobs_are_those_of_the_last_build(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(tmp_path, "results/a", ["tasks/0.json"], 2.0, log="both.log")
    record(tmp_path, "results/b", ["tasks/0.json"], 2.0, log="both.log")  # a second output of the same job
    record(tmp_path, "results/c", ["results/a", "results/b"], 1.0, how="restored")
    record(tmp_path, "results/old", [], 50.0)  # of a build before
    record(tmp_path, BUILT, ["results/a", "results/c"], 0.5)
    found = measured(tmp_path)
    assert found.work == 3.5
    assert [job.seconds for job in found.critical_path] == [2.0, 1.0, 0.5]
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert main(parser.parse_args(["2", "--root", str(tmp_path)])) == 0
    out = capsys.readouterr().out
    assert out.startswith("3 jobs, 4 s of one core\nnote: 1 of them were restored from the store")
    assert main(parser.parse_args(["--json", "--root", str(tmp_path)])) == 0
    told = json.loads(capsys.readouterr().out)
    assert [s["cores"] for s in told["schedules"]] == [1, 2, 8, 32, 128, 1024]
    assert {s["makespan"] for s in told["schedules"]} == {3.5}


def test_without_a_build_the_remedy_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotBuilt, match="no build is recorded here") as caught:
        measured(tmp_path)
    assert "make reproduce" in caught.value.remedy
    record(tmp_path, BUILT, [], 1.0)
    (tmp_path / f"results/provenance/{BUILT}.json").unlink()
    with pytest.raises(NotBuilt, match="how it was made is not recorded"):
        measured(tmp_path)
