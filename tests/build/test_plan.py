"""The plan: shards that cover everything once, promised files, parameters with no more than a job needs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from assay import canonical
from assay.build import links
from assay.build import paths as layout
from assay.build.planning import parameters
from assay.build.planning.plan import Plan
from assay.build.planning.shards import Shard
from assay.config.loading import load
from assay.errors import ConfigError, NotBuilt

ROOT = Path(__file__).resolve().parents[2]
FROZEN = "tests/protocol/tasks/madeup/madeup-v0"
AGENTS = """\
agents:
  exact: {kind: solver, suites: {madeup: [madeup-v0]}}
  twin: {kind: solver, solver: exact, suites: {madeup: all}, attempts: 2}
  sweeper: {kind: solver, solver: guess, log: digest, suites: {madeup: all}}
"""
JUDGE = """\
  juror:
    kind: judge
    transport: {kind: fake, script: "tests.agents.scripts:juror"}
    judges: {madeup: {role: support}}
"""
Make = Callable[..., Plan]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """A plan of the made-up suite with keys of the project and sets replaced."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / FROZEN, FROZEN)

    def plan(
        sets: dict[str, object] | None = None,
        costs: float = 1.0,
        judge: str = "",
        requires: dict[str, object] | None = None,
        **project: object,
    ) -> Plan:
        sets = sets or {"madeup-v0": "frozen", "madeup-many": {"count": 5}}
        names = ("task", "calibration", "check", "episode")
        suite: dict[str, object] = {"sets": sets, "costs": dict.fromkeys(names, costs)}
        Path("suite.yaml").write_text(yaml.safe_dump({**suite, "requires": requires} if requires else suite))
        Path("agents.yaml").write_text(AGENTS + judge)
        entry = {
            "package": "tests.protocol.madeup",
            "settings": "suite.yaml",
            "tasks": "tests/protocol/tasks",
        }
        project = {"suites": {"madeup": entry}, "agents": "agents.yaml", **project}
        Path("project.yaml").write_text(yaml.safe_dump(project))
        return Plan(load(Path("project.yaml")))

    return plan


def everything(plan: Plan) -> dict[str, tuple[tuple[Shard, ...], dict[str, int]]]:
    """Every list of shards of the made-up suite, with the sets that it must cover and their sizes."""
    sizes = {
        task_set: plan.contents.task_sets.size("madeup", task_set)
        for task_set in plan.contents.sets("madeup")
    }
    return {
        "checks": (plan.inputs.check_shards("madeup"), {"": 2}),
        "tasks": (plan.inputs.task_shards("madeup"), sizes),
        "calibration": (plan.inputs.calibration_shards("madeup"), sizes),
        "twin": (plan.inputs.episode_shards("madeup", "twin"), sizes),
        "exact": (plan.inputs.episode_shards("madeup", "exact"), {"madeup-v0": 7}),
    }


def spans(shards: tuple[Shard, ...]) -> list[list[tuple[str, int, int]]]:
    """Shards as plain values."""
    return [[(span.task_set, span.first, span.last) for span in shard.spans] for shard in shards]


@pytest.mark.parametrize(
    "project",
    [
        *({"shard_size": size} for size in (1, 2, 3, 6, 7, 8, 1000, "all")),
        *({"seconds_per_job": seconds} for seconds in (1e-300, 0.5, 1, 2.5, 60, 1e300)),
    ],
    ids=str,
)
@pytest.mark.parametrize("costs", [1e-320, 1.0, 1e300])
def test_shards_cover_every_item_once_in_order(project: dict[str, object], costs: float, make: Make) -> None:
    for what, (shards, sizes) in everything(make(costs=costs, **project)).items():
        assert [shard.number for shard in shards] == list(range(len(shards))), what
        covered = [(name, at) for s in spans(shards) for name, a, b in s for at in range(a, b)]
        assert covered == [(name, at) for name, size in sizes.items() for at in range(size)], what
        assert all(shard.spans for shard in shards), what


MANY, V0 = "madeup-many", "madeup-v0"  # five tasks and seven


@pytest.mark.parametrize(
    ("project", "expected"),
    [
        ({"shard_size": 3}, [[(MANY, 0, 3)], [(MANY, 3, 5)], [(V0, 0, 3)], [(V0, 3, 6)], [(V0, 6, 7)]]),
        ({"shard_size": "all"}, [[(MANY, 0, 5), (V0, 0, 7)]]),
        ({"shard_size": 12}, [[(MANY, 0, 5), (V0, 0, 7)]]),
        ({"shard_size": 11}, [[(MANY, 0, 5)], [(V0, 0, 7)]]),  # a set that fits a shard is not cut
        ({"seconds_per_job": 4}, [[(MANY, 0, 4)], [(MANY, 4, 5)], [(V0, 0, 4)], [(V0, 4, 7)]]),
        ({"seconds_per_job": 6}, [[(MANY, 0, 5)], [(V0, 0, 6)], [(V0, 6, 7)]]),
        ({"shard_size": 6, "seconds_per_job": 1}, [[(MANY, 0, 5)], [(V0, 0, 6)], [(V0, 6, 7)]]),
    ],
    ids=str,
)
def test_which_sets_a_shard_holds(project: dict[str, object], expected: object, make: Make) -> None:
    assert spans(make(**project).inputs.task_shards("madeup")) == expected


def test_attempts_make_an_item_longer(make: Make) -> None:
    plan = make({"madeup-v0": "frozen"}, seconds_per_job=4)
    assert len(plan.inputs.episode_shards("madeup", "exact")) == 2  # 4 + 3 tasks
    assert len(plan.inputs.episode_shards("madeup", "twin")) == 4  # 2 attempts: 2 + 2 + 2 + 1


@pytest.mark.parametrize("size", [1, 2, 3, 7, "all"])
def test_an_episode_shard_reads_the_task_shards_of_its_spans(size: object, make: Make) -> None:
    plan = make(shard_size=size)
    for at in plan.inputs.episode_shards("madeup", "twin"):
        read = plan.inputs.tasks_of_episodes("madeup", "twin", at.number)
        assert read == [f"results/madeup/shards/tasks/{at.number}.parquet"]


def test_shards_of_other_sizes_overlap(make: Make) -> None:
    plan = make(seconds_per_job=3)  # tasks 3 + 2, 3 + 3 + 1; episodes of the twin 1 by 1, of exact 3 by 3
    assert [
        [Path(file).stem for file in plan.inputs.tasks_of_episodes("madeup", "twin", n)] for n in range(12)
    ] == [["0"]] * 3 + [["1"]] * 2 + [["2"]] * 3 + [["3"]] * 3 + [["4"]]
    plan = make(seconds_per_job=12)  # tasks all in one; episodes of the twin 5, 6, 1
    read = [plan.inputs.tasks_of_episodes("madeup", "twin", n, "blobs.parquet") for n in range(3)]
    assert read == [["results/madeup/shards/tasks/0.blobs.parquet"]] * 3


def test_a_shard_that_does_not_exist(make: Make) -> None:
    with pytest.raises(NotBuilt, match="exact has no shard 9 of madeup"):
        make().inputs.tasks_of_episodes("madeup", "exact", 9)


# --- what is promised


def test_every_promised_file_is_listed(make: Make) -> None:
    result, agents = "results/madeup", ("exact", "sweeper", "twin")
    of_suite = ("tasks", "calibration", "validation", "summary", "validity", "conducts")
    expected = {f"{result}/{table}.parquet" for table in of_suite} | {"reports/data/madeup/conducts.jsonl"}
    expected |= {f"{result}/{t}/{a}.parquet" for t in ("episodes", "scores", "audit") for a in agents}
    expected |= {f"{result}/events/{agent}.parquet" for agent in ("exact", "twin")}
    expected |= {f"{result}/tables/{table}.parquet" for table in ("answers", "opinions-and-answers", "tiers")}
    figures = ("scores", "validity")
    expected |= {f"reports/figures/madeup/{figure}.svg" for figure in figures}
    expected |= {f"reports/data/madeup/figures/{f}.{kind}" for f in figures for kind in ("csv", "parquet")}
    tables = ("summary", "tasks", "validation", "validity", "answers", "opinions-and-answers", "tiers")
    expected |= {
        f"reports/data/madeup/{table}.{kind}" for table in tables for kind in ("csv", "md", "parquet")
    }
    plan = make()
    folders = ("episodes", "pictures", "matrix", "tasks", "beside")
    pages = tuple(f"reports/{folder}/" for folder in folders)
    found = [path for path in plan.contents.targets("madeup") if not path.startswith(pages)]
    assert sorted(found) == sorted(expected)


def test_every_episode_has_a_page(make: Make) -> None:
    plan = make()
    for agent, episodes in plan.contents.of("madeup")["episodes"].items():
        pages = [
            f
            for f in layout.files("madeup", plan.contents.of("madeup"))
            if f"/episodes/madeup/{agent}" in f.path
        ]
        pages = [file for file in pages if file.kind == "page"]
        assert len(pages) == 1 + -(-episodes // links.PER_PAGE)
        assert {file.agents for file in pages} == {(agent,)}


def test_without_suites_there_is_no_site(make: Make) -> None:
    lacking = make(requires={"extra": "far", "packages": ["no_such_package"]})
    assert lacking.contents.common_targets() == []


def test_each_file_names_its_rule_and_the_agents_that_show_in_it(make: Make) -> None:
    plan = make()
    files = {file.path: file for file in layout.files("madeup", plan.contents.of("madeup"))}
    everyone = ("exact", "sweeper", "twin")
    assert files["results/madeup/tasks.parquet"][2:] == ("merge_tasks", ())
    assert files["results/madeup/summary.parquet"][2:] == ("merge_summary", everyone)
    assert files["results/madeup/scores/exact.parquet"][2:] == ("merge_scores", ("exact",))
    assert files["reports/figures/madeup/scores.svg"][1:] == ("figure", "figures", everyone)


# --- judges


def test_a_suite_is_left_out_where_a_package_that_it_requires_is_missing(make: Make) -> None:
    there = make(requires={"extra": "dev", "packages": ["pytest"]})
    assert (there.contents.suites, there.contents.left_out) == (["madeup"], {})
    assert there.parameters.manifest_config() == make().parameters.manifest_config()
    lacking = make(requires={"extra": "far", "packages": ["pytest", "no_such_package"]})
    assert lacking.contents.suites == []
    assert lacking.contents.left_out["madeup"].startswith(
        "no_such_package is not installed; make setup EXTRAS=far"
    )
    assert canonical.loads(lacking.parameters.manifest_config()) == {
        "suites": {},
        "left_out": lacking.contents.left_out,
        "frozen": "results/MANIFEST",
    }


def test_without_a_judge_there_is_no_job(make: Make) -> None:
    plan = make()
    assert plan.inputs.merged("opinions", "madeup") == []
    assert not [path for path in plan.contents.targets("madeup") if "/opinions/" in path]
    with pytest.raises(NotBuilt, match="juror is no judge of the suite madeup"):
        plan.parameters.opinions_config("madeup", "juror")


def test_a_judge_reads_the_agents_whose_events_are_kept_and_plays_nothing(make: Make) -> None:
    plan = make(judge=JUDGE, seconds_per_job=3)
    assert plan.contents.agents("madeup") == ["exact", "sweeper", "twin"]
    assert plan.inputs.merged("opinions", "madeup") == ["results/madeup/opinions/juror.parquet"]
    assert set(plan.contents.targets("madeup")) >= set(plan.inputs.merged("opinions", "madeup"))
    result = "results/madeup"
    assert plan.inputs.judged("events", "madeup", "juror") == [
        f"{result}/events/exact.parquet",
        f"{result}/events/twin.parquet",
    ]
    assert plan.inputs.tasks_of_opinions("madeup", "juror") == plan.inputs.task_parts("madeup")
    blobs = [*plan.inputs.task_parts("madeup", "blobs.parquet")]
    blobs += [
        part for agent in ("exact", "twin") for part in plan.inputs.agent_parts("blobs", "madeup", agent)
    ]
    assert plan.inputs.blobs_of_opinions("madeup", "juror") == blobs


def test_a_judge_of_one_set_and_one_agent_depends_on_no_more(make: Make) -> None:
    plan = make(
        judge=JUDGE.replace("support}", "support, agents: [twin], sets: [madeup-v0]}"), seconds_per_job=3
    )
    assert plan.inputs.judged("episodes", "madeup", "juror") == ["results/madeup/episodes/twin.parquet"]
    assert json.loads(plan.parameters.opinions_config("madeup", "juror"))["spans"] == [["madeup-v0", 0, 7]]


def test_recorded_opinions_are_inputs_with_their_digests(make: Make) -> None:
    folder = Path("recordings/juror/madeup/madeup-many/twin")
    folder.mkdir(parents=True)
    for name in ("urn-0001.0.support.json", "urn-0001.0.beauty.json", "urn-0000.1.support.json"):
        (folder / name).write_text(name)
    (folder.parent / "sweeper").mkdir()
    (folder.parent / "sweeper/urn-0000.0.support.json").write_text("of nobody who is judged")
    plan = make(judge=JUDGE)
    found = plan.inputs.recorded_opinions("madeup", "juror")
    assert found == [str(folder / f"urn-{name}.support.json") for name in ("0000.1", "0001.0")]
    config = json.loads(plan.parameters.opinions_config("madeup", "juror"))
    assert list(config["recordings"]) == found
    assert len(set(config["recordings"].values())) == 2


# --- parameters


def configs(plan: Plan) -> dict[str, str]:
    """The parameters of every job whose slice may not be that of another one."""
    found = {
        "validation": plan.parameters.validation_config("madeup", 0),
        "manifest": plan.parameters.manifest_config(),
    }
    for shard in plan.inputs.task_shards("madeup"):
        found[f"tasks {shard.number}"] = plan.parameters.tasks_config("madeup", shard.number)
    for agent in plan.contents.agents("madeup"):
        for shard in plan.inputs.episode_shards("madeup", agent):
            config = plan.parameters.episodes_config("madeup", agent, shard.number)
            found[f"episodes {agent} {shard.number}"] = config
    for agent in plan.contents.agents("madeup"):
        found[f"summary {agent}"] = plan.parameters.summary_config("madeup", agent)
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
            # The manifest lists the pages of episodes, as many as there are.
            {"manifest", *(f"{what} 0" for what in ("tasks", "episodes sweeper", "episodes twin"))},
        ),
    ],
    ids=["folder of recordings", "seconds", "size of one set"],
)
def test_parameters_hold_no_more_than_their_slice(
    change: dict[str, object], changed: set[str], make: Make
) -> None:
    before, after = configs(make(shard_size=7)), configs(make(**change, shard_size=7))
    assert {name for name in before if before[name] != after[name]} == changed


def test_tables_and_figures_are_told_what_each_agent_of_the_suite_is(make: Make) -> None:
    plan = make()
    agents = Path("agents.yaml")
    agents.write_text(agents.read_text().replace("solver: exact,", "solver: exact, scripted: true,"))
    plan = Plan(load(Path("project.yaml")))
    told = json.loads(plan.parameters.analysis_config("madeup", table="x"))
    assert told["kinds"] == {"exact": "solver", "sweeper": "solver", "twin": "scripted"}
    assert told["table"] == "x"
    assert json.loads(plan.parameters.standing_config())["kinds"] == told["kinds"]


def test_a_frozen_file_shows_in_the_parameters_of_its_shard_only(make: Make) -> None:
    before = configs(make(shard_size=2))
    file = Path(FROZEN, "00003.json")
    file.write_text(file.read_text() + "\n")
    parameters._sha256.cache_clear()  # kept for the life of a process, and a run is a process
    after = configs(make(shard_size=2))
    assert {name for name in before if before[name] != after[name]} == {"tasks 4"}


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


def test_results_without_a_record_are_refused_but_not_within_a_job(make: Make) -> None:
    make()
    table = Path("results/madeup/tasks.parquet")
    table.parent.mkdir(parents=True)
    table.touch()
    with pytest.raises(ConfigError, match=f"{table} is there, but no record"):
        Plan.of({}, ["project.yaml"])
    assert Plan.of({}, ["project.yaml"], within_job=True).contents.suites == ["madeup"]
