"""A report about an agent that writes scripts, drawings, formulas, huge and reversed texts: it stays text."""

from __future__ import annotations

import csv
import hashlib
import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.report.pages import broken, site
from tests.workflow.checkout import Checkout

AGENTS = """\
agents:
  exact: {kind: solver, suites: {madeup: [madeup-v0]}, seconds: 1}
  contrarian: {kind: solver, suites: {madeup: [madeup-v0]}, seconds: 1}
"""
LIAR = """\
  liar:
    kind: model
    transport: {kind: fake, script: "tests.reliability.liars:liar"}
    suites: {madeup: [madeup-v0]}
    limits: {turns: 60, tokens: 100000000}
"""

SIGNS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
"""What turns or hides text, or is none."""

LARGEST_PAGE = 4 << 20
"""Bytes; an agent that says a megabyte fills no page with it."""


class _Elements(HTMLParser):
    """What a page holds that could act: elements, attributes, addresses."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[tuple[str, str, str]] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add((tag, "", ""))
        self.found |= {(tag, name, value or "") for name, value in attrs}


def acting(path: Path) -> set[str]:
    """Elements and attributes of a page that run, load or frame something which is not the site's own."""
    reader = _Elements()
    reader.feed(path.read_text(encoding="utf-8"))
    bad = set()
    for tag, name, value in reader.found:
        if tag in ("iframe", "object", "embed", "form", "base", "foreignobject", "style", "input", "video"):
            bad.add(f"<{tag}>")
        if name.startswith("on") or name in ("srcdoc", "style", "formaction"):
            bad.add(f"<{tag} {name}>")
        elsewhere = re.match(r"\s*(javascript|data|//|https?:|file:)", value)
        linked = tag == "a" and value.startswith("https://")
        if name in ("src", "href", "xlink:href", "action") and elsewhere and not linked:
            bad.add(f"<{tag} {name}={value}>")
        if (tag, name) == ("meta", "http-equiv") and value != "Content-Security-Policy":
            bad.add(f"<meta {value}>")
    return bad


def digests(root: Path, agent: str) -> dict[str, str]:
    """sha256 of every table and page of one agent, by path."""
    files = [p for p in (root / "results").rglob("*") if p.is_file() and "provenance" not in p.parts]
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if agent in path.stem
    }


def planted_words(root: Path) -> bool:
    """Whether what the agent wrote is shown at all, as the text that it is."""
    pages = root.glob("reports/**/*.html")
    return any("&lt;script&gt;alert(1)" in path.read_text(encoding="utf-8") for path in pages)


@pytest.mark.full
def test_what_a_liar_writes_stays_text_and_touches_nobody_else(tmp_path: Path) -> None:
    checkout = Checkout.fresh(tmp_path / "checkout")
    agents = checkout.root / "config/test/small-agents.yaml"
    agents.write_text(AGENTS)
    checkout.build()
    before = {name: digests(checkout.root, name) for name in ("exact", "contrarian")}
    assert all(before.values())

    own = {bad for path in site(checkout.root / "reports") for bad in acting(path)}
    assert own <= {"<form>", "<input>"}, "of the page itself, to choose what is listed"

    agents.write_text(AGENTS + LIAR)
    recorded = checkout.assay("record", "liar", "--config", "config/test/small.yaml")
    assert recorded.code == 0, recorded.output
    checkout.build()
    for name, found in before.items():
        assert digests(checkout.root, name) == found, f"what {name} did has changed"

    pages = site(checkout.root / "reports")
    assert planted_words(checkout.root), "the report does not show what the liar wrote"
    assert not broken(pages)
    for path, page in pages.items():
        text = path.read_text(encoding="utf-8")
        assert not page.faults, (path, page.faults)
        assert page.policies, f"{path} has no policy"
        assert acting(path) <= own, (path, acting(path))
        assert not SIGNS.search(text), (path, SIGNS.search(text))
        assert path.stat().st_size < LARGEST_PAGE, path
    drawings = list(checkout.root.glob("reports/**/*.svg"))
    assert drawings
    for path in drawings:
        for element in ElementTree.parse(path).iter():
            assert not element.tag.endswith(("script", "foreignObject", "image")), path
            assert not [name for name in element.attrib if name.startswith("on")], path
    sheets = list(checkout.root.glob("reports/**/*.csv"))
    assert sheets
    for path in sheets:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file):
                for cell in row:
                    assert not re.match(r"\s*[=+@-](?![\d.])|[\t\r\n]", cell), (path, cell[:80])


def test_what_acts_is_noticed(tmp_path: Path) -> None:
    for text in (
        "<script src='//x'></script>",
        "<p onclick=x>",
        "<img src='data:image/svg+xml,x'>",
        "<a href=' javascript:x'>",
        "<meta http-equiv=refresh content=0>",
        "<iframe>",
    ):
        page = tmp_path / "page.html"
        page.write_text(text)
        assert acting(page), text
    page.write_text("<p><a href='https://example.org'>&lt;script&gt;</a><a href='#x'>x</a></p>")
    assert not acting(page)
    assert SIGNS.search("a\u202eb") and SIGNS.search("\x07") and not SIGNS.search("é\u202f€\n")
