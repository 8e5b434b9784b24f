"""Renders pages from templates. Values are escaped, and addresses within the site are relative.

    page.render("suite.html", "suites/petri.html", title="petri", ...)

A template can use `here`, the path of its page in the site, and `to(file)`, the relative address of another
file. All HTML is in templates. The SVG of `drawing` and `pictures` is inserted unchanged, because these
modules escape its texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from assay import __version__
from assay.build import links
from assay.report import drawing, words
from assay.report.drawing import plain, visible

DATA_FILES = (
    "templates/agent.html",
    "templates/base.html",
    "templates/beside.html",
    "templates/data.html",
    "templates/episode.html",
    "templates/episode_list.html",
    "templates/episodes.html",
    "templates/history.html",
    "templates/index.html",
    "templates/leaderboard.html",
    "templates/macros.html",
    "templates/matrix.html",
    "templates/pair.html",
    "templates/single.html",
    "templates/suite.html",
    "templates/tasks.html",
    "templates/validity.html",
    "templates/verdict.html",
    "assets/style.css",
    "assets/episode.css",
    "assets/site.js",
    "assets/sortable.min.js",
)
FOLDER = Path(__file__).parent / "templates"

POLICY = "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'"
"""The content security policy of each page, which lets a browser load only files of the site."""


def render(template: str, here: str, **values: Any) -> str:
    """Render a page of the site.

    Args:
        template: File name of the template.
        here: Path of the page in the site; links are relative to it.
        **values: Values of the template's variables.

    Returns:
        The page as HTML.

    Raises:
        jinja2.UndefinedError: The template uses a variable without a value.
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
    """The Jinja environment with the filters of the report. It escapes values in every template."""
    templates = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        finalize=lambda value: visible(value) if type(value) is str else value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.globals["version"] = __version__
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
