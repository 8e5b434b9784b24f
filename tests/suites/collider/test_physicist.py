"""The reference solver through the tools of the world, and its samples as artefacts."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.suites.collider.mocks import task_of

from assay.agents.solver import SolverAgent
from assay.episode import Episode
from assay.episodes.artefacts import digest, materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.errors import UnknownName
from assay.protocol import Json, Key, Materials
from assay.suites.collider import SUITE, artefacts, audit
from assay.suites.collider.chain import generation, solving
from assay.suites.collider.generators import registry as generators
from assay.suites.collider.problems import catalogue, hidden_points, orders, sets
from assay.suites.collider.problems.hidden import question_of
from assay.suites.collider.provenance.evidence import finding_of
from assay.suites.collider.provenance.examination import examine
from assay.suites.collider.provenance.runs import of_episode
from assay.suites.collider.solvers import reference
from assay.task import Task

needs_chain = pytest.mark.skipif(
    not generation.available(), reason="the chain needs its programs: make setup EXTRAS=collider"
)

EVENTS = 60
TASK = task_of("cms-v0", 1)
CARD: dict[str, Any] = {"generator": "pythia-sus-16-046", "point": "T5Wg_1750_1700", "filter": "hard-photon"}


@pytest.fixture(autouse=True)
def few_events(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Samples of a few events, and artefacts of as many."""
    monkeypatch.setattr(
        orders, "SIZES", {name: dict.fromkeys(sizes, EVENTS) for name, sizes in orders.SIZES.items()}
    )
    yield


@pytest.fixture(scope="module")
def materials() -> Materials:
    return materials_for(SUITE, MemoryBlobs())


def played(task: Task, materials: Materials) -> Episode:
    solver = reference.SOLVERS["physicist"]
    return play(SUITE, task, "physicist", SolverAgent(solver, task), 0, materials)


# ------------------------------------------------------------ what is ordered


def test_tasks_at_one_point_share_a_sample() -> None:
    def ordered(name: str, index: int) -> orders.Order | None:
        task = task_of(name, index)
        return orders.order_of("physicist", task.task_set, task.public)

    shared = {repr(ordered(name, 1)) for name in ("cms-v0", "cms-shape-v0", "cms-yield-v0")}
    assert len(shared) == 1 and "None" not in shared
    assert ordered("cms-v0", 3) == ordered("cms-v0", 4)  # high and low HT of one point
    assert ordered("cms-v0", 5) == ordered("cms-v0", 6)
    looser = ordered("binning-v0", 1)  # lower missing momentum
    assert looser is not None and looser.card["filter"] == "photon"
    assert looser != ordered("cms-v0", 5)


def test_nothing_is_ordered_where_there_is_nothing_to_generate() -> None:
    for name in ("atlas-v0", "mock-v0", "smoke-v0"):
        task = task_of(name, 0)
        assert orders.order_of("physicist", name, task.public) is None
        assert artefacts.needs("episodes", task, "physicist") == ()
    assert orders.order_of("flat", TASK.task_set, TASK.public) is None


def test_what_an_episode_needs_is_whole_groups_of_its_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "SIZES", {"physicist": {"T5Wg": 2 * artefacts.GROUP + 1}})
    keys = artefacts.needs("episodes", TASK, "physicist")
    assert [key.shard for key in keys] == [0, 1]
    assert len({digest(key) for key in keys}) == 2
    assert artefacts.needs("calibration", TASK, "physicist") == ()


def test_a_group_is_a_whole_number_of_shards() -> None:
    assert artefacts.GROUP % generation.CHUNK == 0


def test_every_solver_has_a_size_for_every_task() -> None:
    for solver in orders.SIZES:
        for name in ("cms-v0", "atlas-jets-v0", "objects-v1"):
            task = task_of(name, 0)
            order = orders.order_of(solver, name, task.public)
            assert order is not None and order.events == EVENTS


def test_the_plan_does_not_wait_for_numpy() -> None:
    """The room is loaded while the DAG is built."""
    program = (
        "import sys; import assay.suites.collider.artefacts; print({'numpy', 'pandas'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


# ------------------------------------------------------------ samples


class Groups:
    """Artefacts that count how often each is asked for; made in one process, by the room."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[int] = []

    def get(self, key: Key) -> Path:
        path = self.folder / str(key.shard)
        self.asked.append(key.shard)
        if not path.exists():
            artefacts.make(key, materials_for(SUITE, MemoryBlobs()), path)
        return path


@needs_chain
def test_a_sample_has_the_same_bytes_whatever_the_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shards of 20 events: in groups of one, two and three, with a remainder, and without artefacts."""
    from assay.suites.collider.chain import samples

    monkeypatch.setattr(samples, "CHUNK", 20)
    whole = generators.generate(CARD, 5, 70)
    assert len(whole.shards) == 4
    for size in (20, 40, 60):
        monkeypatch.setattr(artefacts, "GROUP", size)
        folder = tmp_path / str(size)
        folder.mkdir()
        groups = Groups(folder)
        assert artefacts.sample(CARD, 5, 70, groups) == whole
        assert groups.asked == list(range(70 // size))


@needs_chain
def test_mock_samples_are_no_artefacts(tmp_path: Path) -> None:
    card = {"generator": "mock", "point": "Mock_700", "mass": 700}
    groups = Groups(tmp_path)
    assert artefacts.sample(card, 1, 3000, groups) == generators.generate(card, 1, 3000)
    assert groups.asked == []


# ------------------------------------------------------------ an episode


@needs_chain
def test_the_physicist_passes_the_gate(materials: Materials) -> None:
    episode = played(TASK, materials)
    assert (episode.status, episode.counters["event"]) == ("done", EVENTS)
    finding = finding_of(TASK, episode, materials)
    assert (finding.verdict, finding.generated) == ("PASSED", EVENTS)
    assert [check.name for check in finding.checks if check.passed is not True] == []
    assert not any(flag.raised for flag in audit.audit(TASK, episode, materials))
    flow = next(e for e in episode.events if e.kind == "call" and e.tool == "read_file").parts[0]
    assert "photon above 180 GeV" in str(flow)


@needs_chain
def test_the_physicist_takes_the_rate_that_the_paper_takes(materials: Materials) -> None:
    task = task_of("atlas-jets-v0", 9)
    assert orders.order_of("physicist", "atlas-v0", task.public) is None
    episode = played(task, materials)
    finding = finding_of(task, episode, materials)
    assert (finding.verdict, finding.contradicted) == ("PASSED", [])
    counters = next(p for e in episode.events if e.tool == "write_file" for p in [e.arguments["text"]])
    assert "0.456637" in counters and "0.494604" not in counters


@needs_chain
def test_the_same_episode_again_is_the_same(materials: Materials) -> None:
    first, second = played(TASK, materials), played(TASK, materials_for(SUITE, MemoryBlobs()))
    assert first.submission == second.submission
    assert [e.parts for e in first.events] == [e.parts for e in second.events]


@needs_chain
def test_an_edited_sample_is_found_by_making_a_part_again(materials: Materials) -> None:
    """A forger who rewrites the whole ledger after the edit is left with what the generator says."""
    from assay.suites.collider.provenance import ledger

    run = of_episode(played(TASK, materials), materials.blobs)
    lines = ledger.read(run.ledger or b"")
    text = b""
    for line in lines:
        kept = {k: v for k, v in line.items() if k not in ("seq", "prev_sha256", "run", "utc", "wall_s")}
        if line["tool"] == "generate":
            kept["shards"] = ["0" * 64 for _ in kept["shards"]]
        text = ledger.append(text, line["run"], **kept)
    finding = examine(replace(run, ledger=text), question_of(TASK))
    assert (finding.verdict, finding.contradicted) == ("FABRICATED", ["regeneration"])
    assert examine(replace(run, ledger=text), question_of(TASK), regenerate=False).verdict == "UNDECIDED"


@needs_chain
@pytest.mark.parametrize(
    ("card", "word"),
    [
        ({"generator": "mock", "point": "Mock_700", "mass": 700}, "not for this task"),
        ({**CARD, "filter": "none at all"}, "filter is one of"),
        ({**CARD, "point": "T5Wg_100_1700"}, "no signal point"),
        ({**CARD, "point": 7}, "point is a text"),
        ({**CARD, "seed": 7}, "has the keys"),
        ({**CARD, "generator": "pythia-sus-99-999"}, "generator is one of"),
    ],
)
def test_cards_that_cannot_be_generated_cost_nothing(card: Json, word: str, materials: Materials) -> None:
    class Asker:
        def act(self, brief: Any, call: Any, stream: Any) -> None:
            self.result = call("generate", {"name": "a", "card": card, "seed": 1, "events": 5})

    asker = Asker()
    episode = play(SUITE, TASK, "asker", asker, 0, materials)
    assert not asker.result.ok and word in str(asker.result.error)
    assert episode.counters.get("event", 0) == 0


@needs_chain
def test_the_manual_tells_what_the_columns_of_a_sample_mean(materials: Materials) -> None:
    class Reader:
        def act(self, brief: Any, call: Any, stream: Any) -> None:
            self.page = call("manual", {"tool": "generate"}).parts[0]

    reader = Reader()
    play(SUITE, TASK, "reader", reader, 0, materials)
    for word in ("pythia-sus-16-046", "stgamma: ", "hard-photon: photons = 1", "drawn"):
        assert word in reader.page


def test_sets_name_their_generators() -> None:
    assert sets.generator_of("hidden-v0.private") == sets.CHAIN
    assert sets.generator_of("mock-v0") == sets.MOCK
    assert sets.generator_of("atlas-v0") is None


def test_a_task_without_a_selection_is_refused() -> None:
    with pytest.raises(UnknownName, match="no selection"):
        orders.wanted_of(task_of("atlas-v0", 4).public)


# ------------------------------------------------------------ hidden points


def test_hidden_points_are_published_nowhere() -> None:
    published = {entry.point for entry in catalogue.cms()}
    points = [task_of("hidden-v0", index).public["point"] for index in range(4)]
    assert len(set(points)) == 4 and not published & set(points)
    assert [orders.wanted_of(task_of("hidden-v0", n).public).point for n in range(4)] == points


def test_another_seed_gives_other_points() -> None:
    drawn = {hidden_points.drawn(2, seed).point for seed in range(40)}
    assert len(drawn) > 10


@needs_chain
@pytest.mark.full
@pytest.mark.parametrize("index", range(4))
def test_kept_references_are_those_of_the_solver(index: int) -> None:
    """500 events of another seed agree with the kept yields within four standard deviations a bin."""
    task = task_of("hidden-v0", index)
    answer = solving.solve(task, 500, seed=4711)
    kept = zip(answer.yields, answer.errors, task.hidden["yields"], task.hidden["errors"], strict=True)
    for y, e, r, known in kept:
        assert abs(y - r) < 4 * math.hypot(max(e, answer.weight), known)
