"""The addresses of pages and episodes, as the plan and the pages both compute them."""

from __future__ import annotations

import pytest

from assay.build import links
from assay.build import paths as layout


@pytest.mark.parametrize(
    ("episodes", "pages"),
    [(0, 0), (1, 1), (50, 1), (51, 2), (100, 2), (5900, 118), (10_000, 200), (10_001, 200), (10**6, 200)],
)
def test_an_agent_has_a_list_and_a_page_for_every_fifty_episodes(episodes: int, pages: int) -> None:
    found = links.episode_pages("petri", "random", episodes)
    assert len(found) == pages + 1
    assert found[0] == "episodes/petri/random.html"
    assert len(set(found)) == len(found)


def test_every_episode_has_its_address_on_a_page_that_is_promised() -> None:
    promised = links.episode_pages("petri", "random", 120)
    addresses = [links.episode("petri", "random", rank, f"set.task.{rank}") for rank in range(120)]
    assert len(set(addresses)) == 120
    assert {address.partition("#")[0] for address in addresses} == set(promised[1:])


def test_an_episode_without_a_page_is_looked_for_in_the_list() -> None:
    assert links.episode("petri", "random", links.SHOWN - 1, "x").startswith(
        "episodes/petri/random/199.html#"
    )
    assert links.episode("petri", "random", links.SHOWN, "x") == links.episode_list("petri", "random")


def test_a_fragment_is_escaped_as_an_address_demands() -> None:
    assert links.episode("s", "a", 0, 'x y"#.0').partition("#")[2] == "x%20y%22%23.0"


@pytest.mark.parametrize(
    ("to", "page", "found"),
    [
        ("index.html", "index.html", "index.html"),
        ("index.html", "suites/petri.html", "../index.html"),
        ("episodes/petri/a-0.html", "agents/a.html", "../episodes/petri/a-0.html"),
        ("assets/style.css", "episodes/petri/a-0.html", "../../assets/style.css"),
    ],
)
def test_addresses_are_relative_so_that_a_site_opens_from_any_folder(to: str, page: str, found: str) -> None:
    assert links.relative(to, page) == found


def test_common_files_show_every_agent_of_every_suite_once() -> None:
    suites = {"a": {"agents": ["x", "y"]}, "b": {"agents": ["y", "z"]}}
    found = {file.path: file for file in layout.common_files(suites)}
    assert len(found) == len(layout.common_files(suites))
    assert {f"reports/agents/{agent}.html" for agent in "xyz"} <= set(found)
    assert {file.agents for file in found.values()} == {("x", "y", "z")}
    assert found["reports/index.html"].kind == "page"
    assert found["reports/ro-crate-metadata.json"].kind == "data"
    assert "reports/verdict.html" not in found
