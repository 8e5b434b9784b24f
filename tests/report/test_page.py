"""Pages: what comes from outside is escaped, nothing is missing silently or loaded from elsewhere."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import jinja2
import pytest

from assay.report import page, verdict_page
from assay.report.pictures import interval, profile
from assay.report.results import _figure
from assay.verdict.verify import Finding, Verdict
from tests.report import pages

PLANTED = "<script>alert(1)</script>\"'</svg><img src=x onerror=alert(1)>"


def test_an_agent_may_be_called_anything(tmp_path: Path) -> None:
    html = page.render(
        "agent.html",
        "agents/x.html",
        title=PLANTED,
        suites_shown=["petri"],
        agent=PLANTED,
        kind="solver",
        kind_words="a solver",
        axes={},
        identity={"transport": PLANTED},
        parts=[],
    )
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents/x.html").write_text(html)
    assert "<script>" not in html
    assert PLANTED in unescape(html)
    read = pages.read(tmp_path / "agents/x.html")
    assert read.faults == []
    assert read.policies == [page.POLICY]


def test_pictures_escape_their_words() -> None:
    for picture in (interval(1, 0, 2, (0, 2), PLANTED), profile([(PLANTED, 0.5, 0.4, 0.6)])):
        assert "<script>" not in picture
        assert "</svg>" not in picture[:-6]
        assert "onerror" not in picture or "&lt;img" in picture


def test_pictures_stay_within_their_scale() -> None:
    wide = interval(5, -10, 99, (0, 10), "")
    assert 'x1="4"' in wide
    assert 'x2="128"' in wide
    assert interval(None, None, None, (0, 1), "") == ""


def test_what_is_not_measured_is_said_and_not_drawn() -> None:
    picture = profile([("Isolation", None, None, None), ("Budget", 0.25, None, None)])
    assert picture.count("<circle") == 1
    assert "not measured" in picture
    assert 'aria-label="Budget 0.25"' in picture


def test_a_template_that_lacks_a_value_fails() -> None:
    with pytest.raises(jinja2.UndefinedError):
        page.render("agent.html", "agents/x.html", title="x", suites_shown=[])


def test_a_figure_brings_its_own_words(tmp_path: Path) -> None:
    svg = tmp_path / "some-figure.svg"
    svg.write_text('<svg>\n <title id="t">some-figure</title>\n <desc id="d">a &lt; b &amp; c</desc></svg>')
    found = _figure(svg)
    assert (found.name, found.title, found.alt) == ("some-figure", "some figure", "a < b & c")


# --- the verdict


def verdict(*states: str) -> Verdict:
    return Verdict(
        tuple(
            Finding(f"results/petri/{i}.parquet", "petri", state, "merge_scores")
            for i, state in enumerate(states)
        )  # type: ignore[arg-type]
    )


def test_without_a_site_no_verdict_is_written(tmp_path: Path) -> None:
    verdict_page.write(tmp_path, verdict("identical"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("states", "headline"),
    [
        (("identical", "identical"), "Yes: identical"),
        (("identical", "differs"), "No: it differs"),
        (("identical", "missing"), "Could not tell"),
    ],
)
def test_the_verdict_counts_files_by_suite_and_stage(
    tmp_path: Path, states: tuple[str, ...], headline: str
) -> None:
    (tmp_path / "reports/suites").mkdir(parents=True)
    (tmp_path / "reports/index.html").write_text("")
    (tmp_path / "reports/suites/petri.html").write_text("")
    verdict_page.write(tmp_path, verdict(*states))
    html = (tmp_path / "reports/verdict.html").read_text()
    assert headline in html
    assert "<td>scores</td>" in html
    assert ("results/petri/1.parquet" in html) == (states[1] != "identical")
    assert not list((tmp_path / "reports").glob(".*"))


def test_before_a_verdict_the_page_says_that_there_is_none(tmp_path: Path) -> None:
    html = verdict_page.render(tmp_path, ["petri"], None)
    assert "Not verified since the last build" in html
    assert "identical</span>" not in html


def test_the_verdict_names_the_versions_of_the_lock() -> None:
    html = verdict_page.render(Path(__file__).parents[2], [], None)
    assert "<li>numpy 2" in html
    assert "<li>snakemake 9" in html


def test_whatever_makes_a_page_counts_in_the_fingerprint_of_its_job() -> None:
    folder = Path(page.__file__).parent
    there = {
        str(file.relative_to(folder))
        for name in ("templates", "assets")
        for file in (folder / name).iterdir()
    }
    assert there - {"assets/sortable.LICENSE"} == set(page.DATA_FILES)
