"""HTML read as a browser would: every element closed, nothing that runs, and what it refers to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"img", "meta", "link", "br"})
SILENT = frozenset(
    (
        *("html", "head", "meta", "title", "link", "style", "body", "main", "nav", "article", "section"),
        *(
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "p",
            "pre",
            "code",
            "samp",
            "b",
            "strong",
            "small",
            "span",
            "a",
        ),
        *("ul", "ol", "li", "dl", "dt", "dd", "div", "details", "summary", "figure", "figcaption", "img"),
        *("table", "caption", "thead", "tbody", "tr", "th", "td", "svg", "desc", "path", "text"),
    )
)
"""Elements that can neither run nor load anything but a picture and a style of the site."""


@dataclass
class Page:
    """What a text of HTML holds: elements by number, names of elements, links to them, attributes."""

    tags: Counter[str] = field(default_factory=Counter)
    names: set[str] = field(default_factory=set)
    links: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in SILENT, f"the page holds an element {tag}"
        self.page.tags[tag] += 1
        for name, value in attrs:
            self.page.attributes.add(name)
            assert not name.startswith("on"), f"{tag} has the attribute {name}"
            assert "javascript:" not in (value or "") or name == "alt", f"{tag} has {name}={value}"
            if name == "id":
                assert value not in self.page.names, f"two elements are called {value}"
                self.page.names.add(value or "")
            if name == "href" and (value or "").startswith("#"):
                self.page.links.add((value or "")[1:])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing"


def page_of(text: str) -> Page:
    """The page of a text; fails where an element is left open, closed twice, or may do anything."""
    assert not set(map(chr, [*range(9), *range(14, 32), 127])) & set(text), "a control character is left"
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert not reader.open, f"left open: {reader.open}"
    return reader.page
