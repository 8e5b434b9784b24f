"""The plan: shards that cover everything once, promised files, parameters with no more than a job needs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from assay import canonical, layout
from assay import plan as planning
from assay.config import load
from assay.errors import ConfigError, NotBuilt
from assay.plan import Plan, Shard

ROOT = Path(__file__).resolve().parents[1]
FROZEN = "tests/protocol/tasks/madeup/madeup-v0"
AGENTS = """\
agents:
  exact: {kind: solver, suites: {madeup: [madeup-v0]}}
  twin: {kind: solver, solver: exact, suites: {madeup: all}, attempts: 2}
  sweeper: {kind: solver, solver: guess, log: digest, suites: {madeup: all}}
"""
Make = Callable[..., Plan]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """A plan of the made-up suite with keys of the project and sets replaced."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / FROZEN, FROZEN)

    def plan(sets: dict[str, object] | None = None, costs: float = 1.0, **project: object) -> Plan:
        sets = sets or {"madeup-v0": "frozen", "madeup-many": {"count": 5}}
        names = ("task", "calibration", "check", "episode")
        Path("suite.yaml").write_text(yaml.safe_dump({"sets": sets, "costs": dict.fromkeys(names, costs)}))
        Path("agents.yaml").write_text(AGENTS)
        entry = {
            "package": "tests.protocol.madeup",
            "settings": "suite.yaml",
            "tasks": "tests/protocol/tasks",
        }
        project = {"suites": {"madeup": entry}, "agents": "agents.yaml", **project}
        Path("project.yaml").write_text(yaml.safe_dump(project))
        return Plan(load(Path("project.yaml")))

    return plan


def everything(plan: Plan) -> dict[str, tuple[tuple[Shard, ...], int]]:
    """Every list of shards of the made-up suite, with the number of items that it must cover."""
    sizes = {task_set: plan._size("madeup", task_set) for task_set in plan.sets("madeup")}
    found = {"checks": (plan.check_shards("madeup"), 2)}
    for task_set, size in sizes.items():
        found[f"tasks of {task_set}"] = plan.task_shards("madeup", task_set), size
        found[f"calibration of {task_set}"] = plan.calibration_shards("madeup", task_set), size
        found[f"twin in {task_set}"] = plan.episode_shards("madeup", "twin", task_set), size
    return found


@pytest.mark.parametrize(
    "project",
    [
        *({"shard_size": size} for size in (1, 2, 3, 6, 7, 8, 1000, "all")),
        *({"seconds_per_job": seconds} for seconds in (1e-300, 0.5, 1, 2.5, 60, 1e300)),
    ],
    ids=str,
)
@pytest.mark.parametrize("costs", [1e-320, 1.0, 1e300])
def test_shards_cover_every_item_once(project: dict[str, object], costs: float, make: Make) -> None:
    for what, (shards, size) in everything(make(costs=costs, **project)).items():
        assert [shard.number for shard in shards] == list(range(len(shards))), what
        assert [at for s in shards for at in range(s.first, s.last)] == list(range(size)), what
        assert all(shard.first < shard.last for shard in shards), what


@pytest.mark.parametrize(
    ("project", "sizes"),
    [
        ({"shard_size": 3}, [3, 3, 1]),
        ({"shard_size": "all"}, [7]),
        ({"seconds_per_job": 4}, [4, 3]),
        ({"seconds_per_job": 0.1}, [1] * 7),
        ({"shard_size": 2, "seconds_per_job": 1000}, [2, 2, 2, 1]),
    ],
    ids=str,
)
def test_the_size_of_a_shard(project: dict[str, object], sizes: list[int], make: Make) -> None:
    shards = make(**project).task_shards("madeup", "madeup-v0")
    assert [shard.last - shard.first for shard in shards] == sizes


def test_attempts_make_an_item_longer(make: Make) -> None:
    plan = make(seconds_per_job=4)
    assert len(plan.episode_shards("madeup", "exact", "madeup-v0")) == 2  # 4 + 3 tasks
    assert len(plan.episode_shards("madeup", "twin", "madeup-v0")) == 4  # 2 attempts: 2 + 2 + 2 + 1


@pytest.mark.parametrize("size", [1, 2, 3, 7, "all"])
def test_an_episode_shard_reads_the_task_shards_of_its_range(size: object, make: Make) -> None:
    plan = make(shard_size=size)
    for at in plan.episode_shards("madeup", "twin", "madeup-v0"):
        read = plan.tasks_of_episodes("madeup", "twin", "madeup-v0", at.number)
        assert read == [f"results/madeup/shards/tasks/madeup-v0/{at.number}.parquet"]


def test_shards_of_two_sizes_overlap(make: Make) -> None:
    plan = make(seconds_per_job=3)  # tasks 3 + 3 + 1, episodes of the twin 1 by 1
    numbers = [
        [Path(file).stem for file in plan.tasks_of_episodes("madeup", "twin", "madeup-v0", n)]
        for n in range(7)
    ]
    assert numbers == [["0"]] * 3 + [["1"]] * 3 + [["2"]]


def test_a_shard_that_does_not_exist(make: Make) -> None:
    with pytest.raises(NotBuilt, match="exact has no shard 9 of madeup/madeup-v0"):
        make().tasks_of_episodes("madeup", "exact", "madeup-v0", 9)


# --- what is promised


def test_every_promised_file_is_listed(make: Make) -> None:
    result, agents = "results/madeup", ("exact", "sweeper", "twin")
    expected = {f"{result}/{table}.parquet" for table in ("tasks", "calibration", "validation", "summary")}
    expected |= {f"{result}/{t}/{a}.parquet" for t in ("episodes", "scores", "audit") for a in agents}
    expected |= {f"{result}/events/{agent}.parquet" for agent in ("exact", "twin")}
    expected |= {f"{result}/tables/{table}.parquet" for table in ("answers", "tiers")}
    expected |= {"reports/figures/madeup/scores.svg"}
    found = make().targets("madeup")
    assert sorted(found) == sorted(expected)


def test_each_file_names_its_rule_and_the_agents_that_show_in_it(make: Make) -> None:
    plan = make()
    files = {file.path: file for file in layout.files("madeup", plan.contents("madeup"))}
    everyone = ("exact", "sweeper", "twin")
    assert files["results/madeup/tasks.parquet"][2:] == ("merge_tasks", ())
    assert files["results/madeup/summary.parquet"][2:] == ("merge_summary", everyone)
    assert files["results/madeup/scores/exact.parquet"][2:] == ("merge_scores", ("exact",))
    assert files["reports/figures/madeup/scores.svg"][1:] == ("figure", "figures", everyone)


# --- parameters


def configs(plan: Plan) -> dict[str, str]:
    """The parameters of every job whose slice may not be that of another one."""
    found = {"validation": plan.validation_config("madeup", 0), "manifest": plan.manifest_config()}
    for task_set in plan.sets("madeup"):
        for shard in plan.task_shards("madeup", task_set):
            found[f"tasks {task_set} {shard.number}"] = plan.tasks_config("madeup", task_set, shard.number)
        for agent in plan.agents("madeup"):
            for shard in plan.episode_shards("madeup", agent, task_set):
                place = ("madeup", agent, task_set, shard.number)
                found[f"episodes {agent} {task_set} {shard.number}"] = plan.episodes_config(*place)
    for agent in plan.agents("madeup"):
        found[f"summary {agent}"] = plan.summary_config("madeup", agent)
    return found


def test_parameters_differ_where_slices_differ(make: Make) -> None:
    found = configs(make(shard_size=2))
    assert len(set(found.values())) == len(found)
    for text in found.values():
        assert text == canonical.dumps(json.loads(text))


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        ({"recordings": "elsewhere"}, set()),
        ({"seconds_per_job": 59}, set()),
        (
            {"sets": {"madeup-v0": "frozen", "madeup-many": {"count": 6}}},
            {f"{what} madeup-many 0" for what in ("tasks", "episodes sweeper", "episodes twin")},
        ),
    ],
    ids=["folder of recordings", "seconds", "size of one set"],
)
def test_parameters_hold_no_more_than_their_slice(
    change: dict[str, object], changed: set[str], make: Make
) -> None:
    before, after = configs(make()), configs(make(**change))
    assert {name for name in before if before[name] != after[name]} == changed


def test_a_frozen_file_shows_in_the_parameters_of_its_shard_only(make: Make) -> None:
    before = configs(make(shard_size=2))
    file = Path(FROZEN, "00003.json")
    file.write_text(file.read_text() + "\n")
    planning._sha256.cache_clear()  # kept for the life of a process, and a run is a process
    after = configs(make(shard_size=2))
    assert {name for name in before if before[name] != after[name]} == {"tasks madeup-v0 1"}


# --- frozen folders


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: (folder / "00002.json").unlink(), "00002.json is missing, found 00006.json"),
        (lambda folder: (folder / "00000.json").unlink(), "00000.json is missing, found 00006.json"),
        (lambda folder: (folder / "more.json").touch(), "00007.json is missing, found more.json"),
        (lambda folder: [f.unlink() for f in folder.iterdir()], "00000.json is missing, found no others"),
        (shutil.rmtree, "00000.json is missing, found no others"),
    ],
    ids=["gap", "first", "strange name", "empty", "no folder"],
)
def test_a_folder_with_a_gap(spoil: Callable[[Path], object], said: str, make: Make) -> None:
    spoil(Path(FROZEN))
    with pytest.raises(ConfigError) as caught:
        make().check()
    assert caught.value.message.startswith(f"{FROZEN}: a frozen set holds 00000.json, 00001.json and so on")
    assert caught.value.message.endswith(f"; {said}")
    assert caught.value.remedy.startswith("restore the folder from git")


def test_a_private_set_that_nobody_has_written(make: Make) -> None:
    with pytest.raises(ConfigError) as caught:
        make({"madeup-v0.private": "private"}).check()
    assert caught.value.message.startswith("private/madeup/madeup-v0.private: a private set holds")
    assert caught.value.remedy.endswith("assay tasks madeup madeup-v0.private")


def test_a_whole_folder_is_no_error(make: Make) -> None:
    make().check()


def test_two_config_files(make: Make) -> None:
    make()
    with pytest.raises(ConfigError) as caught:
        Plan.of({}, ["project.yaml", "project.yaml"])
    assert caught.value.remedy == "give one: --configfile FILE"
