"""What the front page says to type works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


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


def test_the_example_of_the_front_page_has_at_most_ten_lines() -> None:
    (block,) = blocks("README.md")
    assert len([line for line in block.splitlines() if line]) <= 10
