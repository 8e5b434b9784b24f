"""The level of objects: what an agent is given, its time limit, the ablation, and the examination."""

from __future__ import annotations

from typing import Any

import pytest
from tests.suites.collider.mocks import task_of

from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.protocol import Brief, Call
from assay.suites.collider import SUITE
from assay.suites.collider.chain import generation
from assay.suites.collider.formats.eventfiles import Events
from assay.suites.collider.problems import orders, sets
from assay.suites.collider.provenance.rules import selection
from assay.suites.collider.tools import manual
from assay.suites.collider.tools.clock import Clock, seconds_of

needs_chain = pytest.mark.skipif(
    not generation.available(), reason="the chain needs its programs: make setup EXTRAS=collider"
)

CARD = {"generator": "objects-sus-16-047", "point": "T6gg_1750_1650", "filter": "photon-ptmiss"}
EVENTS = 40


class Agent:
    """An agent that makes given calls and keeps their results."""

    def __init__(self, *calls: tuple[str, Any]) -> None:
        self.calls, self.results = calls, list[Any]()

    def act(self, brief: Brief, call: Call, stream: Any) -> None:
        self.brief = brief
        for tool, arguments in self.calls:
            self.results.append(call(tool, arguments))


def played(agent: Agent, task_set: str = "objects-v1") -> Any:
    materials = materials_for(SUITE, MemoryBlobs())
    return play(SUITE, task_of(task_set, 0), "agent", agent, 0, materials)


def test_the_ablation_takes_tools_and_their_lines_away() -> None:
    whole, alone = Agent(), Agent(("read_file", {"path": "agent_context/TOOLS.md"}))
    played(whole)
    played(alone, "objects-alone-v1")
    names = [{tool.name for tool in agent.brief.tools} for agent in (whole, alone)]
    assert (
        names[0] - names[1]
        == {"hepdata", "ufo", "read_paper", "simulate"}
        == set(sets.without("objects-alone-v1"))
    )
    assert "hepdata" not in str(alone.results[0].parts)


def test_the_time_limit_ends_an_episode() -> None:
    calls = [("run_analysis", {"script": "analysis/none.py", "inputs": []})] * 76
    agent = Agent(*calls)
    assert played(agent).status == "timeout"
    assert [result.ended for result in agent.results].index("timeout") == 75  # 9000 s over 120 s


def test_a_clock_counts_events() -> None:
    clock = Clock("1m1s")
    assert clock.passed("generate", {"events": 1200})
    assert clock.used == 61 and not clock.passed("manual", {})


@pytest.mark.parametrize("wrong", ["", "2 hours", "30", "1s2m"])
def test_a_time_limit_has_the_published_form(wrong: str) -> None:
    with pytest.raises(ValueError):
        seconds_of(wrong)


def test_variants_of_the_chain_have_tools_of_their_own() -> None:
    assert "read_events" in {tool.name for tool in manual.tools(sets.OBJECTS)}
    assert "read_events" not in {tool.name for tool in manual.tools(sets.CHAIN)}
    assert orders.prefix_of("pythia-sus-16-047") != orders.prefix_of(CARD["generator"])


@needs_chain
def test_an_agent_gets_candidates_in_batches() -> None:
    sample = {"name": "gen", "card": CARD, "seed": 3, "events": EVENTS}
    agent = Agent(
        ("manual", {"tool": "generate"}),
        ("generate", {**sample, "card": {**CARD, "generator": "pythia-sus-16-047"}}),
        ("generate", sample),
        ("read_events", {"sample": "data/gen.csv", "first": 38, "count": 10}),
        ("read_events", {"sample": "report.md", "first": 0, "count": 1}),
        ("read_file", {"path": "object_efficiencies/photons.json"}),
    )
    played(agent)
    page, other_level, generated, batch, no_sample, efficiencies = agent.results
    assert "photonN_iso" in page.parts[0] and "u < 1000000 e" in page.parts[0]
    assert not other_level.ok and generated.ok and not no_sample.ok
    assert [event["event_id"] for event in batch.parts[0]] == [38.0, 39.0]
    assert all(event["jet1_pt"] > event.get("jet2_pt", 0) for event in batch.parts[0])
    assert "0.848" in str(efficiencies.parts)


class Given:
    """The part of a case that the rule on selections reads."""

    def __init__(self, variables: Any) -> None:
        self.generator = type("Generator", (), {"variables": staticmethod(variables)})()


def test_a_few_events_may_be_left_out_where_definitions_differ() -> None:
    ids = list(range(1000))
    sample = Events({"event_id": [float(n) for n in ids]}, ids)
    case: Any = Given(lambda columns: {"x": columns["event_id"]})
    window = set(range(200, 800))
    assert selection.left_out_of(case, sample, window) == 0
    assert selection.left_out_of(case, sample, window - set(range(300, 330))) == 0
    assert selection.left_out_of(case, sample, window | {0}) == 0  # one of another definition
    assert selection.left_out_of(case, sample, window - set(range(300, 400))) == 100
    picked = {n for n in window if n % 3}
    assert selection.left_out_of(case, sample, picked) > 150
    assert selection.left_out_of(case, sample, set()) == 0
