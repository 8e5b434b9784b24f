"""Every recipe of `docs/recipes` works when it is carried out word by word."""

from __future__ import annotations

import re
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.recipes.pages import PAGES, ROOT, Block, Kitchen, blocks, files, patched

RECIPES = sorted(page for page in PAGES.glob("*.md") if page.name != "index.md")
NEEDS = {"collider-search": "pythia8mc"}


@pytest.mark.parametrize("page", RECIPES, ids=lambda page: page.stem)
def test_a_recipe_works_word_by_word(page: Path) -> None:
    if page.stem in NEEDS and find_spec(NEEDS[page.stem]) is None:
        pytest.skip(f"{NEEDS[page.stem]} is not installed")
    # Always the same path: kernels are compiled once for it, and kept.
    folder = ROOT / ".cache/recipes" / page.stem
    shutil.rmtree(folder, ignore_errors=True)
    try:
        Kitchen(folder).carry_out(page)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("page", RECIPES, ids=lambda page: page.stem)
def test_a_page_names_its_files_and_what_is_frozen_anew(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if line.startswith("## ")][-1] == "## What is frozen anew"
    (listed,) = re.findall(r"^\| file \| change \|\n\|.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert set(re.findall(r"^\| `([^`]+)`", listed, re.MULTILINE)) == files(page)


def test_the_site_and_its_index_list_every_recipe() -> None:
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    assert re.findall(r"\]\(([a-z-]+\.md)\)", index) == [page.name for page in in_order()]
    assert "recipes/index.md" in (ROOT / "docs/index.md").read_text(encoding="utf-8")


def in_order() -> list[Path]:
    """The recipes in the order of the site's navigation."""
    navigation = re.findall(r"recipes/([a-z-]+\.md)", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert navigation[0] == "index.md"
    assert {PAGES / name for name in navigation[1:]} == set(RECIPES)
    return [PAGES / name for name in navigation[1:]]


def test_a_page_that_rots_fails() -> None:
    block = Block("diff", "a.py", " first\n-second\n+third\n")
    assert patched("first\nsecond\nlast\n", block) == "first\nthird\nlast\n"
    for rotten in ("first\nanother\n", "first\nsecond\nfirst\nsecond\n"):
        with pytest.raises(AssertionError, match="does not have exactly once"):
            patched(rotten, block)


def test_blocks_are_read_with_language_and_title(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text('Text.\n\n```python title="a.py"\nA = 1\n```\n\n```bash\ntrue\n```\n')
    assert blocks(page) == [Block("python", "a.py", "A = 1\n"), Block("bash", "", "true\n")]
