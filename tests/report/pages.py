"""The pages of a site as a parser sees them: what they link to, what can be linked to, what they load."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

VOID = {"meta", "link", "img", "input", "br", "hr", "col", "source", "wbr"}


@dataclass
class Page:
    path: Path
    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    policies: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def target(self, link: str) -> tuple[Path, str]:
        """The file and the fragment that a link leads to."""
        parts = urlsplit(link)
        file = self.path if not parts.path else (self.path.parent / unquote(parts.path)).resolve()
        return file, unquote(parts.fragment)


def read(path: Path) -> Page:
    reader = _Reader(Page(path.resolve()))
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    if reader.open:
        reader.page.faults.append(f"never closed: {reader.open}")
    return reader.page


def site(root: Path) -> dict[Path, Page]:
    """Every page of a site."""
    return {page.path: page for page in map(read, sorted(root.rglob("*.html")))}


def broken(pages: dict[Path, Page]) -> list[str]:
    """Links that lead nowhere."""
    ids = {path: set(page.ids) for path, page in pages.items()}
    found = []
    for page in pages.values():
        for link in sorted({*page.links, *page.loads}):
            file, fragment = page.target(link)
            lost = not file.is_file() or (fragment and file in ids and fragment not in ids[file])
            if lost and not link.startswith("data:"):
                found.append(f"{page.path}: {link}")
    return found


class _Reader(HTMLParser):
    def __init__(self, page: Page) -> None:
        super().__init__()
        self.page = page
        self.open: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            if given["id"] in self.ids:
                self.page.faults.append(f"id twice: {given['id']}")
            self.ids.add(given["id"])
            self.page.ids.append(given["id"])
        if tag == "a" and "href" in given:
            self.page.links.append(given["href"])
        for name in ("src", "href", "xlink:href"):
            if name in given and tag in ("script", "img", "link", "image", "use"):
                self.page.loads.append(given[name])
        if given.get("http-equiv") == "Content-Security-Policy":
            self.page.policies.append(given["content"])
        if tag in ("h1", "h2", "h3", "h4"):
            self.page.headings.append(tag)
        self.page.faults += [f"{name} on {tag}" for name in given if name == "style" or name.startswith("on")]
        if tag == "img" and "alt" not in given:
            self.page.faults.append(f"no alt: {given.get('src')}")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self.page.faults.append(f"</{tag}> closes {self.open[-1:]}")
        else:
            self.open.pop()
