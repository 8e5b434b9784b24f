"""Pages: templates filled with values, every value escaped, every address relative.

    page.render("suite.html", "suites/petri.html", title="petri", ...)

A template knows `here`, the path of its page in the site, and `to(file)`, the address of another file from
there. All HTML is in templates. `drawing` and `pictures` compute SVG; they escape their texts themselves, so
that templates insert the result as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from assay.build import links
from assay.report import drawing, words
from assay.report.escaping import plain, visible

DATA_FILES = (
    "templates/agent.html",
    "templates/base.html",
    "templates/episode.html",
    "templates/episode_list.html",
    "templates/episodes.html",
    "templates/index.html",
    "templates/leaderboard.html",
    "templates/macros.html",
    "templates/single.html",
    "templates/suite.html",
    "templates/verdict.html",
    "assets/style.css",
    "assets/episode.css",
    "assets/site.js",
    "assets/sortable.min.js",
)
FOLDER = Path(__file__).parent / "templates"

POLICY = "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'"
"""The content security policy of every page: a browser loads files of the site and nothing else."""


def render(template: str, here: str, **values: Any) -> str:
    """Render a page of the site.

    Args:
        template: Name of the template's file.
        here: Path of the page in the site, from which links are relative.
        **values: What the template needs.

    Returns:
        The page as HTML.

    Raises:
        jinja2.UndefinedError: The template needs a value that is not given.
    """
    return (
        environment()
        .get_template(template)
        .render(
            here=here,
            to=lambda file, fragment="": links.relative(file, here) + (f"#{fragment}" if fragment else ""),
            policy=POLICY,
            links=links,
            **values,
        )
    )


@cache
def macros(template: str) -> Any:
    """The macros of a template, as functions that return escaped HTML."""
    return environment().get_template(template).module


@cache
def environment(folder: Path = FOLDER) -> Environment:
    """Jinja with the filters of the report; values are escaped in every template."""
    templates = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        finalize=lambda value: visible(value) if type(value) is str else value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    filters: Mapping[str, Any] = {
        "number": words.number,
        "fixed": words.fixed,
        "in_words": words.in_words,
        "percent": words.percent,
        "kind_name": lambda kind: words.KIND_NAMES.get(kind, kind),
        "share": lambda counts: words.share(*counts) if counts else words.NOTHING,
        "count": words.count,
        "compact": drawing.number,
        "cut": words.cut,
        "plain": lambda text: Markup(plain(text)),
        "p": words.p_value,
        "safe_svg": Markup,
    }
    templates.filters.update(filters)
    return templates
