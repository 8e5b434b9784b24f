"""The tools that a model may be given in an evaluation, the same for every family.

Searches have a real interface and an offline source: the texts that belong to the item. A tool of one's own
is one more `PoolTool`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.errors import UnknownName
from assay.protocol import Door, Result, Tool, refused
from assay.suites.sgi.lab.evaluation.glossary import GLOSSARY
from assay.suites.sgi.interpreter import printed
from assay.suites.sgi.metrics.ideas import literal
from assay.suites.sgi.research.library import Library
from assay.suites.sgi.research.papers import from_lines
from assay.suites.sgi.retrieval import Ranking
from assay.task import Task


@dataclass(frozen=True)
class Corpus:
    """Texts by name, the titles of some, and the files that belong to an item."""

    texts: Mapping[str, str]
    titles: Mapping[str, str]
    files: Mapping[str, str]


def corpus_of(task: Task, read: Callable[[str], bytes]) -> Corpus:
    """What can be searched and read for an item: nothing that is hidden, but related work."""
    columns = task.public["columns"]
    texts: dict[str, str] = {}
    titles: dict[str, str] = {}
    for ref in task.blobs:
        if ref.media_type == "application/jsonl":
            library = Library(from_lines(read(ref.sha256)))
            for doc_id in library.papers:
                texts[doc_id], titles[doc_id] = library.text(doc_id), library.title(doc_id)
    related = task.hidden.get("related_work")  # it stands in the prompt, too
    for at, (title, text) in enumerate(sorted(literal(related).items()) if related else (), 1):
        texts[f"W{at:02d}"], titles[f"W{at:02d}"] = f"{title}. {text}", title
    names = {"data_code": "data_en.py", "incomplete_main_code": "main_en.py", "action_pool": "actions.txt"}
    files = {names[key]: str(text) for key, text in columns.items() if key in names}
    return Corpus(texts, titles, files)


class Desk:
    """The sources of one item, indexed when they are first searched."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._rankings: dict[str, Ranking] = {}

    def search(self, what: str, texts: Mapping[str, str], query: str, k: int) -> list[str]:
        """The names of the best of these texts."""
        if what not in self._rankings:
            self._rankings[what] = Ranking(texts)
        return self._rankings[what].best(query, k)


Run = Callable[[Desk, Any, Door], Result]


@dataclass(frozen=True)
class PoolTool:
    """A tool as models see it, and what it does."""

    tool: Tool
    run: Run


def _schema(**properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": sorted(properties),
        "additionalProperties": False,
    }


QUERY = {"type": "string", "maxLength": 2000, "description": "words"}
NAME = {"type": "string", "maxLength": 200}


def _web_search(desk: Desk, arguments: Any, door: Door) -> Result:
    corpus = desk.corpus
    found = desk.search("web", corpus.texts, arguments["query"], 10)
    return Result(
        ([{"doc_id": n, "title": corpus.titles.get(n, n), "begins": corpus.texts[n][:200]} for n in found],)
    )


def _open_doc(desk: Desk, arguments: Any, door: Door) -> Result:
    text = desk.corpus.texts.get(arguments["doc_id"])
    return refused("open_doc: doc_id: web_search lists them") if text is None else Result((text,))


def _glossary(desk: Desk, arguments: Any, door: Door) -> Result:
    found = desk.search("glossary", {n: f"{n} {t}" for n, t in GLOSSARY.items()}, arguments["query"], 3)
    return Result(([{"title": name, "text": GLOSSARY[name]} for name in found],))


def _file(desk: Desk, arguments: Any, door: Door) -> Result:
    files = desk.corpus.files
    if arguments["name"] not in files:
        return refused(f"file_reader: name: the files are {', '.join(sorted(files)) or 'none'}")
    return Result((files[arguments["name"]],))


def _python(desk: Desk, arguments: Any, door: Door) -> Result:
    return Result((door.outside(lambda call: printed(arguments["code"])),), charged=1)


POOL: Mapping[str, PoolTool] = {
    "web_search": PoolTool(
        Tool("web_search", _schema(query=QUERY), "The ten best documents for a query."), _web_search
    ),
    "open_doc": PoolTool(Tool("open_doc", _schema(doc_id=NAME), "The whole text of a document."), _open_doc),
    "wikipedia_search": PoolTool(
        Tool("wikipedia_search", _schema(query=QUERY), "Up to three articles of a glossary."), _glossary
    ),
    "file_reader": PoolTool(
        Tool("file_reader", _schema(name=NAME), "A file that belongs to the task."), _file
    ),
    "python_interpreter": PoolTool(
        Tool(
            "python_interpreter",
            _schema(code={"type": "string", "maxLength": 20_000}),
            "Run a program of Python; gives what it printed. No files, no network.",
            counter="program",
            replay="given",
        ),
        _python,
    ),
}
"""By name; `final_answer` is always there."""

FINAL = Tool(
    "final_answer",
    _schema(text={"type": "string", "maxLength": 1_000_000}),
    "Give the one answer; nothing can be done after it.",
    counter="answer",
)


def tools_named(names: tuple[str, ...]) -> list[PoolTool]:
    """The tools of these names; `UnknownName` where there is no such tool."""
    for name in names:
        if name not in POOL:
            raise UnknownName(f"there is no tool {name!r}", f"the tools are {', '.join(POOL)}")
    return [POOL[name] for name in names]
