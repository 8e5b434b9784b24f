"""What the front page says is true, and what it says to type works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

import assay

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def blocks(page: str) -> list[str]:
    """The blocks of Python on a page."""
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", ["README.md", "docs/agents.md"])
def test_the_python_of_a_page_runs_and_prints_what_it_says(
    page: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    found = blocks(page)
    assert found
    for block in found:
        exec(compile(block, page, "exec"), {})
        printed = capsys.readouterr().out
        for line in re.findall(r"^print.*#(.*)$", block, re.MULTILINE):
            assert line.strip() in printed.splitlines()


def test_the_front_page_shows_what_its_example_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    (block,) = blocks("README.md")
    exec(compile(block, "README.md", "exec"), {})
    shown = re.search(r"^They print\n\n((?: {4}.+\n)+)", README, re.MULTILINE)
    assert shown is not None
    assert [line.strip() for line in shown[1].splitlines()] == capsys.readouterr().out.splitlines()


def test_the_example_of_the_front_page_is_short() -> None:
    (block,) = blocks("README.md")
    assert len([line for line in block.splitlines() if line]) <= 12


def test_the_episode_of_the_front_page_happens_as_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its calls, played again, give the p values, the score and the flags that the page states."""
    monkeypatch.chdir(ROOT)
    rows = re.findall(r"^\| \d \| `(\w+)` ([\d.]+) \| \**([\d.]+)\** \|$", README, re.MULTILINE)
    assert len(rows) == 8
    with assay.open_task("petri", "core-v0/0") as session:
        assert len(session.brief.parts[0]["candidates"]) == 3  # "one of three parameters"
        for name, value, p in rows:
            result = session.call(
                "experiment", {"config_a": {}, "config_b": {name: float(value)}, "metric": "polarization"}
            )
            shown = result.parts[0]
            assert f"{shown['p']:.2g}" == f"{float(p):.2g}"
            assert shown["significant"] == (p == "0.012")
        session.call("submit", {"parameter": "alignment", "direction": "down"})
        report = session.score()
    assert (report.score, report.metrics["solved"]) == (80, 1)
    points = [report.metrics[name] for name in ("correctness", "rigor", "efficiency")]
    assert points == [50, 30, 0]
    assert sorted(report.raised) == ["over_testing", "p_hacking"]
    evidence = {flag.flag: flag.evidence for flag in report.flags}
    assert f"{evidence['backing_survives_holm']['p']['7']:.2g}" == "0.097"


def test_the_agent_of_the_front_page_can_be_configured() -> None:
    from assay.config.models import Agents

    (entry,) = re.findall(r"^```yaml\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    Agents.model_validate(yaml.safe_load(entry))


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]
)
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\((?!\w+:)([^)\s]+)\)", (ROOT / page).read_text()):
        path, _, anchor = target.partition("#")
        found = (ROOT / page).parent / path if path else ROOT / page
        assert found.exists(), target
        assert not anchor or anchor in anchors(found), target


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
    listed = set(re.findall(r"[\w/-]+\.md$", navigation, re.MULTILINE))
    assert listed == {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}


def test_the_architecture_names_every_module() -> None:
    """By its name; of a suite, the packages."""
    page = (ROOT / "docs/architecture.md").read_text()
    named = {name.rpartition(".")[2] for name in re.findall(r"`([\w.]+)`", page)}
    source = ROOT / "src/assay"
    modules = {p.stem for p in source.rglob("*.py") if "suites" not in p.parts and p.stem != "__init__"}
    packages = {
        p.parent.name for p in (*source.glob("*/__init__.py"), *source.glob("suites/*/*/__init__.py"))
    }
    assert len(modules) > 100
    assert not (modules | packages) - named
