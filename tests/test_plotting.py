"""Figures: the same bytes everywhere, the same style for the same agent, readable by machines."""

import hashlib
import math
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib import font_manager

from assay import plotting
from assay.errors import WriteError

SVG = "{http://www.w3.org/2000/svg}"


def draw(scale=1.0):
    """A figure with something of everything, moved by `scale`."""
    numbers = np.random.default_rng(3)
    x = np.linspace(0.1, 7, 200) * scale
    figure = plotting.figure(180 * scale, 110 * scale)
    (lines, points, logs), (cells, bars, rows) = figure.subplots(2, 3)
    lines.plot(x, np.sin(x) * np.exp(-x / 3), label="damped αβ")
    lines.fill_between(x, np.tanh(x), alpha=0.3)
    lines.legend()
    points.scatter(numbers.normal(size=80), numbers.normal(size=80), c=numbers.random(80))
    points.set_title("a bold title", fontweight="bold")
    logs.loglog(x**3, np.exp(x), marker="o", markevery=20)
    mesh = plotting.heatmap(cells, [[0.1, None], [0.9, -0.0001]], ["one", "two"], ["a", "b"], low=0, high=1)
    figure.colorbar(mesh, ax=cells)
    bars.hist(numbers.normal(size=500), bins=20, hatch="//")
    bars.annotate("here", (0.3, 20), (2, 40), arrowprops={"arrowstyle": "->"})
    for at, (colour, marker) in enumerate(plotting.agent_style(["ofat", "model-a", "model-b"]).values()):
        plotting.interval(rows, at, 0.5, 0.3, 0.8, colour=colour, marker=marker, label="q")
    rows.tick_params(axis="x", rotation=33)
    return figure


def save(path, scale=1.0):
    with plotting.style():
        figure = draw(scale)
    plotting.save_svg(figure, path, title="All < parts", description="A figure & its words")
    plotting.save_png(figure, path.with_suffix(".png"))
    return [hashlib.sha256(path.with_suffix(s).read_bytes()).hexdigest() for s in (".svg", ".png")]


def save_small(path, title):
    with plotting.style():
        figure = plotting.figure(40, 30)
        figure.subplots().plot([1, 2], marker="o")
    plotting.save_svg(figure, path, title=title, description="a line")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    path = tmp_path_factory.mktemp("drawn") / "new" / "figure.svg"
    save(path)
    return path


def test_equal_bytes_on_any_processor_in_any_environment(tmp_path, drawn):
    settings = tmp_path / "matplotlibrc"
    settings.write_text("axes.grid: True\nfont.size: 20\nfont.family: serif\nsvg.fonttype: none\n")
    places = [
        {"PYTHONHASHSEED": "1", "TZ": "Asia/Kathmandu", "LANG": "C", "LC_ALL": "C"},
        {
            "PYTHONHASHSEED": "2",
            "TZ": "America/Lima",
            "LANG": "de_DE.UTF-8",
            "SOURCE_DATE_EPOCH": "86400",
            "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
            "OPENBLAS_CORETYPE": "Prescott",
            "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-AVX2,-AVX512F",
            "MATPLOTLIBRC": str(settings),
        },
    ]
    program = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import test_plotting as t\n"
    program += "from pathlib import Path; print(*t.save(Path(sys.argv[1])))"
    running = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", program, str(tmp_path / str(i) / "figure.svg")],
            env={**os.environ, **place},
            stdout=subprocess.PIPE,
            text=True,
        )
        for i, place in enumerate(places)
    ]
    digests = [process.communicate(timeout=120)[0].split() for process in running]
    here = [hashlib.sha256(drawn.with_suffix(s).read_bytes()).hexdigest() for s in (".svg", ".png")]
    assert digests == [here, here]


@pytest.mark.parametrize("scale", [1 + 1e-12, 1 - 1e-12])
def test_noise_of_floating_point_does_not_show(tmp_path, drawn, scale):
    save(tmp_path / "moved.svg", scale)
    assert (tmp_path / "moved.svg").read_bytes() == drawn.read_bytes()


def test_svg_is_whole_and_says_what_it_shows(drawn):
    text = drawn.read_text()
    root = ElementTree.fromstring(text)
    words = {element.get("id"): element.text for element in root if element.tag != f"{SVG}defs"}
    assert root.get("role") == "img"
    assert [words[name] for name in root.get("aria-labelledby").split()] == [
        "All < parts",
        "A figure & its words",
    ]

    names = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(names) == len(set(names))
    for reference in plotting._REFERENCE.finditer(text):
        assert reference[2] in names
    assert matplotlib.__version__ not in text
    assert "\0" not in text
    assert sorted(p.name for p in drawn.parent.iterdir()) == ["figure.png", "figure.svg"]


def test_two_figures_fit_in_one_page(tmp_path):
    names = []
    for number in (1, 2):
        save_small(tmp_path / "figure.svg", f"Figure {number}")
        root = ElementTree.fromstring((tmp_path / "figure.svg").read_text())
        names += [element.get("id") for element in root.iter() if element.get("id")]
    assert len(names) == len(set(names))


def test_a_raster_picture_is_refused(tmp_path):
    with plotting.style():
        figure = plotting.figure()
        figure.subplots().imshow([[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="raster"):
        plotting.save_svg(figure, tmp_path / "figure.svg", title="t", description="d")
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    def full(self, data):
        self.touch()
        raise OSError(28, "No space left on device")

    path = tmp_path / "figure.svg"
    save_small(path, "one")
    before = path.read_bytes()
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(WriteError, match=r"figure\.svg could not be written \(No space"):
        save_small(path, "another")
    assert path.read_bytes() == before
    assert not list(tmp_path.glob(".*"))

    with pytest.raises(WriteError):
        save_small(path / "below.svg", "below a file")


def test_style_holds_inside_and_only_inside():
    def settings():
        return {name: matplotlib.rcParams[name] for name in matplotlib.rcParams if name != "backend"}

    before, fonts = settings(), font_manager.fontManager.ttflist
    with plotting.style():
        figure = plotting.figure(127, 50.8)
        assert list(figure.get_size_inches()) == [5, 2]
        assert matplotlib.rcParams["font.size"] == 8
        assert all(
            Path(font.fname).is_relative_to(plotting._FONTS) for font in font_manager.fontManager.ttflist
        )
    assert settings() == before
    assert font_manager.fontManager.ttflist is fonts
    with pytest.raises(RuntimeError, match="style"):
        plotting.figure()


def test_the_style_of_an_agent_depends_on_its_name_alone():
    few = plotting.agent_style(["ofat", "model-a"])
    many = plotting.agent_style([f"model-{c}" for c in "zyxcba"] + ["random", "ofat"])
    assert all(many[name] == few[name] for name in few)
    assert list(many) == [f"model-{c}" for c in "zyxcba"] + ["random", "ofat"]
    # Frozen: a change here changes published figures.
    assert few == {"ofat": ("#000000", "o"), "model-a": ("#009E73", "p")}
    assert len(set(plotting.agent_style(f"m{i}" for i in range(5000)).values())) == 66


def test_a_suite_gives_its_solvers_styles_of_their_own():
    own = {"ofat": ("blue", "s"), "mine": ("grey", "x")}
    found = plotting.agent_style(["ofat", "mine", "model-a"], own)
    assert found["ofat"] == (plotting.COLOURS["blue"], "s")
    assert found["mine"] == (plotting.COLOURS["grey"], "x")
    assert found["model-a"] == plotting.agent_style(["model-a"])["model-a"]


def test_interval_leaves_out_what_is_missing():
    with plotting.style():
        axes = plotting.figure().subplots()
        plotting.interval(axes, 0, 0.5, None, 0.8)
        plotting.interval(axes, 1, math.nan, 0.2, 0.8)
        plotting.interval(axes, 2, 0.5, 0.4, 0.6, vertical=True)
    drawn = [(list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines]
    assert drawn == [
        ([], []),
        ([0.5], [0]),
        ([0.2, 0.8], [1, 1]),
        ([], []),
        ([2, 2], [0.4, 0.6]),
        ([2], [0.5]),
    ]


def test_heatmap_shows_every_number_and_every_gap():
    with plotting.style():
        axes = plotting.figure().subplots()
        plotting.heatmap(axes, [[0.1, None], [0.9, -0.001]], ["r", "s"], ["a", "b"], low=0, high=1)
    assert [text.get_text() for text in axes.texts] == ["0.10", "–", "0.90", "0.00"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["r", "s"]
    assert axes.get_ylim() == (2, 0)
