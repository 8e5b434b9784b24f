"""The tables of docs/performance.md are those of the committed results of benchmarks."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks import measurements, tables
from benchmarks.measurements import Row

from assay.errors import AssayError

PAGE = "Text.\n\n<!-- table: scale -->\nold\n<!-- end of table -->\n\nMore text.\n"


def built(episodes: int, **more: int | None) -> Row:
    """The row of a build, measured at a made-up commit."""
    figures = {
        "episodes": episodes,
        "wall, s": episodes // 10,
        "largest job, MiB": 300,
        "largest process, MiB": None,
    }
    return Row("make bench", "abc", "a machine", {**figures, **more})


def projected(episodes: int) -> Row:
    return Row("make bench", "abc", "a machine", {"episodes": episodes, "wall on 2 cores, s": episodes // 9})


def test_the_page_shows_the_committed_results(tmp_path: Path) -> None:
    """After a change of results, run `python benchmarks/tables.py --write`."""
    results = tables.results()
    assert len(results) >= 5
    assert tables.filled(tables.PAGE.read_text(), results) == tables.PAGE.read_text()
    if tables.SCALE.exists():
        tables.draw(results, tmp_path / "scale.svg")
        assert (tmp_path / "scale.svg").read_bytes() == tables.SCALE.read_bytes()


def test_each_committed_row_says_how_it_was_measured() -> None:
    rows = [row for table in tables.results().values() for row in table]
    assert all(row.command and row.commit and row.machine and row.figures for row in rows)


def test_a_region_is_replaced_and_the_text_around_it_stays() -> None:
    text = tables.filled(PAGE, {"scale": [built(1000)]})
    assert text.startswith("Text.\n\n<!-- table: scale -->\n\n| episodes | wall, s | ")
    assert "| 1,000 | 100 | 300 | - |" in text
    assert "Measured by `make bench` at commit abc on a machine." in text
    assert text.endswith("\n<!-- end of table -->\n\nMore text.\n")
    assert "old" not in text
    assert tables.filled(text, {"scale": [built(1000)]}) == text
    assert tables.filled(text, {"scale": [built(1000, jobs=7)]}) != text


def test_rows_of_different_commits_are_named() -> None:
    rows = [built(100), Row("make bench", "def", "a machine", {"episodes": 1000})]
    assert "Measured (row 2) by `make bench` at commit def on a machine." in tables.table(rows)


@pytest.mark.parametrize("names", [[], ["memory"], ["scale", "memory"]])
def test_each_result_file_has_one_region(names: list[str]) -> None:
    with pytest.raises(AssayError, match="the page has the tables"):
        tables.filled(PAGE, {name: [built(100)] for name in names})


def test_a_new_measurement_replaces_the_row_of_the_same_size(tmp_path: Path) -> None:
    for episodes, jobs in ((1000, 1), (100, 2), (1000, 3)):
        measurements.write("scale", built(episodes, jobs=jobs), tmp_path)
    assert tables.results(tmp_path) == {"scale": [built(100, jobs=2), built(1000, jobs=3)]}


def test_two_sizes_make_a_figure(tmp_path: Path) -> None:
    results = {"scale": [built(100), built(1000)], "projection": [projected(1000)]}
    assert "images/performance-scale.svg" in tables.filled(PAGE, {"scale": results["scale"]})
    tables.draw(results, tmp_path / "scale.svg")
    text = (tmp_path / "scale.svg").read_text()
    assert "projected from a smaller build" in text
    assert "nan" not in text


def test_the_page_is_written_and_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    monkeypatch.setattr(tables, "PAGE", page)
    monkeypatch.setattr(tables, "results", lambda: {"scale": [built(100)]})
    assert tables.main([]) == 1
    assert "--write" in capsys.readouterr().out
    assert tables.main(["--write"]) == 0
    assert tables.main([]) == 0
