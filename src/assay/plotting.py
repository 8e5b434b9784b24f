"""The style of all figures, and the only functions that write figures.

    with plotting.style():
        figure = plotting.figure(width_mm=180, height_mm=80)
        axes = figure.subplots()
        ...
        plotting.save_svg(figure, path, title="...", description="...")

Equal content gives equal bytes. The style starts from matplotlib's defaults instead of the user's settings,
and uses only the font that comes with matplotlib. Files contain no date. Numbers are rounded to fewer digits
than rounding errors affect, and identifiers are numbered instead of hashed. The module does not use pyplot,
because of its global state, nor raster images inside an SVG, because their bytes depend on a compressor.
"""

from __future__ import annotations

import hashlib
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import matplotlib
from cycler import cycler
from matplotlib import font_manager
from matplotlib.figure import Figure

from assay.writing import write_whole

COLOURS = {
    "black": "#000000",
    "orange": "#E69F00",
    "sky": "#56B4E9",
    "green": "#009E73",
    "yellow": "#F0E442",
    "blue": "#0072B2",
    "vermilion": "#D55E00",
    "purple": "#CC79A7",
    "grey": "#7F7F7F",
}
"""Colours that people with colour-blindness can distinguish (Okabe and Ito 2008), and a grey."""

SEQUENTIAL = "cividis"
"""The map from numbers to colours, with uniform lightness and suitable for colour-blind readers."""

_CYCLE = (
    "blue",
    "orange",
    "green",
    "vermilion",
    "sky",
    "purple",
    "grey",
)  # without yellow, which is too faint for a line
_INK = "#262626"

_RC: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "text.color": _INK,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.labelsize": 8,
    "axes.labelcolor": _INK,
    "axes.edgecolor": _INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=[COLOURS[name] for name in _CYCLE]),
    "grid.color": "#E0E0E0",
    "grid.linewidth": 0.5,
    "xtick.labelsize": 7,
    "xtick.color": _INK,
    "xtick.major.size": 2.5,
    "xtick.major.width": 0.6,
    "xtick.minor.size": 1.5,
    "xtick.minor.width": 0.4,
    "ytick.labelsize": 7,
    "ytick.color": _INK,
    "ytick.major.size": 2.5,
    "ytick.major.width": 0.6,
    "ytick.minor.size": 1.5,
    "ytick.minor.width": 0.4,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "patch.linewidth": 0.6,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "image.cmap": SEQUENTIAL,
    "figure.constrained_layout.use": True,
    "figure.dpi": 100,
    # White and opaque: dark ink stays legible on a dark page and in print.
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.fonttype": "path",
    "svg.hashsalt": "assay",
}

_FONTS = Path(matplotlib.get_data_path())
_depth = 0


@contextmanager
def style() -> Iterator[None]:
    """Use the project's style in a `with` block, and restore matplotlib's settings afterwards."""
    global _depth
    fonts = font_manager.fontManager
    installed = fonts.ttflist
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_RC)
        # A system may hold other versions and weights of the same font family.
        fonts.ttflist = [font for font in installed if Path(font.fname).is_relative_to(_FONTS)]
        _depth += 1
        try:
            yield
        finally:
            _depth -= 1
            fonts.ttflist = installed


def figure(width_mm: float = 180, height_mm: float = 100) -> Any:
    """Return a new `matplotlib.figure.Figure` with constrained layout.

    Args:
        width_mm: Width in mm.
        height_mm: Height in mm.

    Raises:
        RuntimeError: If called outside of `style()`, because the user's settings would apply there.

    Example:
        >>> with style():
        ...     figure(width_mm=50.8, height_mm=25.4).get_size_inches().tolist()
        [2.0, 1.0]
    """
    if not _depth:
        raise RuntimeError("figures are drawn inside `with plotting.style():`")
    return Figure(figsize=(width_mm / 25.4, height_mm / 25.4))


# ------------------------------------------------------------ elements of the figures of several suites

# Reference agents are black and grey, so that colours remain for the agents under test.
_REFERENCES = {
    "random": ("grey", "x"),
    "oracle": ("black", "*"),
    "ofat": ("black", "o"),
    "adaptive": ("black", "s"),
    "ofat-rand": ("grey", "o"),
    "naive": ("grey", "s"),
}
_NONE: Mapping[str, tuple[str, str]] = {}
_AGENT_COLOURS = ("blue", "orange", "green", "vermilion", "sky", "purple")
_AGENT_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h")


def agent_style(
    names: Iterable[str], own: Mapping[str, tuple[str, str]] = _NONE
) -> dict[str, tuple[str, str]]:
    """Return the colour and marker of each agent, which depend only on its name.

    There are 66 styles for agents under test, so two agents may have the same one; label them in the figure.

    Args:
        names: The agents.
        own: The styles of the suite's solvers: for each name, a key of `COLOURS` and a marker.
    """
    known = {**_REFERENCES, **own}
    styles = {}
    for name in names:
        if name in known:
            colour, marker = known[name]
        else:
            number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
            colour = _AGENT_COLOURS[number % len(_AGENT_COLOURS)]
            marker = _AGENT_MARKERS[number // len(_AGENT_COLOURS) % len(_AGENT_MARKERS)]
        styles[name] = (COLOURS[colour], marker)
    return styles


def interval(
    axes: Any,
    at: float,
    value: float | None,
    low: float | None,
    high: float | None,
    *,
    colour: str = COLOURS["black"],
    marker: str = "o",
    label: str | None = None,
    vertical: bool = False,
) -> None:
    """Draw an estimate with its interval.

    Args:
        axes: The matplotlib axes.
        at: The position of the row, or of the column if `vertical`.
        value: The estimate; no point is drawn for `None` or NaN.
        low: The lower end of the interval; no interval is drawn for `None` or NaN.
        high: The upper end of the interval; no interval is drawn for `None` or NaN.
        colour: The colour as a matplotlib colour.
        marker: The matplotlib marker of the estimate.
        label: The entry in the legend.
        vertical: Whether the interval is vertical.
    """
    bar = [] if _missing(low) or _missing(high) else [low, high]
    point = [] if _missing(value) else [value]
    looks: tuple[dict[str, Any], dict[str, Any]] = (
        {"linewidth": 1.0, "solid_capstyle": "butt"},
        {"linestyle": "none", "marker": marker, "label": label},
    )
    for numbers, look in zip((bar, point), looks, strict=True):
        place = [at] * len(numbers)
        axes.plot(*((place, numbers) if vertical else (numbers, place)), color=colour, **look)


def heatmap(
    axes: Any,
    values: Sequence[Sequence[float | None]],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    low: float,
    high: float,
    digits: int = 2,
) -> Any:
    """Draw a table as coloured cells with their numbers, the first row at the top.

    Args:
        axes: The matplotlib axes.
        values: The numbers, row by row; `None` and NaN become a white cell with a dash.
        rows: The labels of the rows.
        columns: The labels of the columns.
        low: The value at the lower end of the colours.
        high: The value at the upper end of the colours.
        digits: The number of decimal places of the numbers in the cells.

    Returns:
        The mesh, from which matplotlib can draw a colour bar.
    """
    filled = [[math.nan if _missing(value) else value for value in row] for row in values]
    mesh = axes.pcolormesh(filled, vmin=low, vmax=high, cmap=SEQUENTIAL, edgecolors="white", linewidth=1)
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            text, ink = "–", _INK
            if value is not None and not math.isnan(value):
                # Adding 0.0 turns -0.0 into 0.0.
                text = f"{round(value, digits) + 0.0:.{digits}f}"
                ink = "white" if value < (low + high) / 2 else "black"
            axes.text(j + 0.5, i + 0.5, text, color=ink, ha="center", va="center", fontsize=7)
    axes.set_xticks([j + 0.5 for j in range(len(columns))], columns)
    axes.set_yticks([i + 0.5 for i in range(len(rows))], rows)
    axes.set_ylim(len(rows), 0)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return mesh


def _missing(value: float | None) -> bool:
    return value is None or math.isnan(value)


# ------------------------------------------------------------ writing of files


def save_svg(fig: Any, path: Path, *, title: str, description: str) -> None:
    """Write a figure as SVG.

    Args:
        fig: The figure.
        path: The file.
        title: The title, for readers who cannot see the figure.
        description: What the figure shows, in words.

    Raises:
        ValueError: If the figure holds a raster image, as `imshow` makes; use `heatmap` or `pcolormesh`.
        WriteError: If the file cannot be written.
    """
    text = io.StringIO()
    for artist in fig.findobj():
        artist.set_rasterized(False)  # matplotlib rasterises a long colour bar by default
    with style():
        # Fields with the value None are left out, so the file has no date and no version of a program.
        fig.savefig(text, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    write_whole(path, _canonical_svg(text.getvalue(), title, description).encode())


def save_png(fig: Any, path: Path, *, dpi: float = 150) -> None:
    """Write a figure as PNG.

    The pixels are reproducible, but the bytes of the file depend on the version of the compressor.

    Args:
        fig: The figure.
        path: The file.
        dpi: Pixels per inch.

    Raises:
        WriteError: If the file cannot be written.
    """
    data = io.BytesIO()
    with style():
        fig.savefig(data, format="png", dpi=dpi, metadata={"Software": None})
    write_whole(path, data.getvalue())


_GEOMETRY = re.compile(r'( (?:d|x|y|width|height|points|viewBox)=")([^"]*)"')
_SHIFT = re.compile(r"translate\([^)]*\)")
_NUMBER = re.compile(r"-?\d+\.\d+")
_NAME = re.compile(r' id="([^"]*)"')
_REFERENCE = re.compile(r'(href="#|url\(#)([^")]+)')
_PREFIX = "\0"  # a placeholder that cannot occur in XML, replaced when the prefix is known


def _canonical_svg(text: str, title: str, description: str) -> str:
    """Return matplotlib's SVG with rounded numbers, numbered identifiers, a title and a description."""
    text = text[text.index("<svg") :]
    if "<image" in text:
        raise ValueError(f"the figure {title!r} holds a raster picture; its bytes depend on the machine")

    # Round to a thousandth of a point. Matplotlib has already rounded to six decimals, so that the result
    # does not depend on the last bits of a float, even for ties.
    text = _GEOMETRY.sub(lambda m: f'{m[1]}{_NUMBER.sub(_rounded, m[2])}"', text)
    text = _SHIFT.sub(lambda m: _NUMBER.sub(_rounded, m[0]), text)

    # Matplotlib's identifiers are hashes of unrounded content. Identifiers without a reference are removed.
    # The others are numbered, with a prefix that is unique to the figure, so that one page can contain
    # several figures.
    numbers: dict[str, str] = {}
    for reference in _REFERENCE.finditer(text):
        numbers.setdefault(reference[2], f"{_PREFIX}{len(numbers) + 1}")
    text = _NAME.sub(lambda m: f' id="{numbers[m[1]]}"' if m[1] in numbers else "", text)
    text = _REFERENCE.sub(lambda m: m[1] + numbers[m[2]], text)

    head, body = text.split(">", 1)
    text = (
        f'{head} role="img" aria-labelledby="{_PREFIX}title {_PREFIX}description">\n'
        f' <title id="{_PREFIX}title">{escape(title)}</title>\n'
        f' <desc id="{_PREFIX}description">{escape(description)}</desc>{body}'
    )
    return text.replace(_PREFIX, f"f{hashlib.sha256(text.encode()).hexdigest()[:8]}-")


def _rounded(match: re.Match[str]) -> str:
    text = f"{float(match[0]):.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
