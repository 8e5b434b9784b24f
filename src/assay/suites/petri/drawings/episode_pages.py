"""The page of one episode: effect sizes of its experiments in order, the submitted answer and the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay import canonical, plotting
from assay.numbers.stats import dominance_interval
from assay.protocol import Tables
from assay.suites.petri.drawings.pages import Page
from assay.suites.petri.questions.answers import REPLICATES, asks_for_signature
from assay.suites.petri.tables.scopes import headline, scopes
from assay.tables.tabulation import final, flag_raised, strata

SHOWN = plotting.COLOURS["blue"]
PROBED = plotting.COLOURS["orange"]
GREY = plotting.COLOURS["grey"]


@dataclass(frozen=True)
class Line:
    """One call: text on the left, statistics (None if there was no comparison), and text on the right."""

    words: str
    statistics: Mapping[str, Any] | None
    probe: bool
    note: str


def episode_page(page: Page, tables: Tables) -> Any:
    """Draw the page, or a sentence instead if the agent has not played such a task."""
    episode = _episode(page, tables)
    if episode is None:
        figure = plotting.figure(width_mm=180, height_mm=30)
        axes = figure.subplots()
        axes.set_axis_off()
        axes.text(0, 0.5, f"{page.agent} has not played a task of tier {page.tier} of {headline(tables)}")
        return figure
    task = next(
        row
        for row in tables["tasks"].itertuples(index=False)
        if (row.task_set, row.task_id) == (episode.task_set, episode.task_id)
    )
    public, hidden = canonical.loads(task.public), canonical.loads(task.hidden)
    lines = list(_lines(episode, public, tables))
    figure = plotting.figure(width_mm=180, height_mm=52 + 6.4 * max(len(lines), 3))
    axes, below = figure.subplots(2, 1, height_ratios=[max(len(lines), 3) * 6.4, 22])
    axes.axvline(0, color="#B0B0B0", linewidth=0.6)
    for place, line in enumerate(lines):
        _draw(axes, place, line)
    axes.set_yticks(range(len(lines)), [line.words for line in lines])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.set_xlim(-1.05, 1.05)
    axes.set_xlabel(
        "Cliff's delta, second arm against first, with 95 % interval; filled: significant\n"
        "right: means of both arms and adjusted p; squares: probes of the hidden world"
    )
    axes.spines["left"].set_visible(False)
    axes.set_title(f"{page.agent} at {episode.task_id}: {public['target']} of the world {public['world']}")
    _verdict(below, episode, hidden, tables)
    return figure


def _episode(page: Page, tables: Tables) -> Any:
    """Return the row of the agent's first attempt at the first task of the tier, or None."""
    levels = strata(tables)
    tasks = [
        task
        for task in scopes(tables)[headline(tables)]
        if levels[task]["tier"] == page.tier and not asks_for_signature(levels[task])
    ]
    for row in tables["episodes"].itertuples(index=False):
        if row.agent == page.agent and row.attempt == 0 and (row.task_set, row.task_id) in tasks[:1]:
            return row
    return None


def _of(episode: Any, rows: Any) -> Any:
    """Return the rows of a table that belong to an episode."""
    for name in ("agent", "attempt", "task_set", "task_id"):
        rows = rows[rows[name] == getattr(episode, name)]
    return rows


def _lines(episode: Any, public: Mapping[str, Any], tables: Tables) -> Any:
    """Yield one line per call of the episode in order, except for the answer; claims have no comparison."""
    events = _of(episode, tables["events"])
    for event in events[events["kind"] == "call"].sort_values("step").itertuples(index=False):
        arguments = canonical.loads(event.arguments)
        if event.tool == "submit":
            continue
        if not event.ok:
            yield Line(f"{event.tool} refused", None, False, str(event.error).split(";")[0])
        elif event.tool == "claim":
            yield Line(f"claim: {arguments['parameter']} {arguments['effect']}", None, False, "")
        else:
            statistics = canonical.loads(event.parts)[0]["json"]
            probe = event.tool == "probe"
            if probe:
                words = f"probe: {_config(arguments['guess'])} against hidden"
            else:
                words = f"{_config(arguments['config_a'])} against {_config(arguments['config_b'])}"
            metric = "" if arguments["metric"] == public["target"] else f"{arguments['metric']}, "
            means = f"{statistics['mean_a']:.3g} → {statistics['mean_b']:.3g}"
            yield Line(words, statistics, probe, f"{metric}{means}, p {_p(statistics['p_adjusted'])}")


def _config(overrides: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in sorted(overrides.items())) or "control"


def _p(p: float) -> str:
    return "< .001" if p < 0.001 else f"{p:.3f}".lstrip("0") if p < 1 else "1"


def _draw(axes: Any, place: int, line: Line) -> None:
    note = {"fontsize": 7, "va": "center", "ha": "left", "clip_on": False}
    axes.text(1.1, place, line.note, color=GREY if line.statistics is None else "#262626", **note)
    if line.statistics is None:
        return
    colour = PROBED if line.probe else SHOWN
    low, high = dominance_interval(round(2 * line.statistics["u"]), REPLICATES, REPLICATES)
    axes.plot([low, high], [place, place], color=colour, linewidth=1.0)
    face = colour if line.statistics["significant"] else "white"
    axes.plot(
        [line.statistics["cliffs_delta"]],
        [place],
        linestyle="none",
        marker="s" if line.probe else "o",
        color=colour,
        markerfacecolor=face,
        markersize=5,
    )


def _verdict(axes: Any, episode: Any, hidden: Mapping[str, Any], tables: Tables) -> None:
    """Draw answer, truth, points and flags below the calls."""
    axes.set_axis_off()
    mine = {name: _of(episode, tables[name]) for name in ("scores", "audit")}
    scores = {row.metric: row.value for row in final(mine)}
    flags = sorted(row.flag for row in mine["audit"].itertuples(index=False) if flag_raised(row))
    answer = None if not isinstance(episode.submission, str) else canonical.loads(episode.submission)
    truth = ", ".join(
        [
            *(f"{d['parameter']} {d['value']:g}" for d in hidden["drivers"]),
            *(str(hidden[key]) for key in ("direction", "magnitude", "interaction") if hidden[key]),
        ]
    )
    parts = {
        "submitted": "nothing" if answer is None else _answer(answer),
        "the truth": truth,
        "points": f"{scores.get('score', 0):g}: correctness {scores.get('correctness', 0):g}, rigor "
        f"{scores.get('rigor', 0):g}, efficiency {scores.get('efficiency', 0):g}",
        "flags": ", ".join(flag.replace("_", " ") for flag in flags) or "none raised",
    }
    for place, (word, text) in enumerate(parts.items()):
        where = {"xy": (0, 0.95 - 0.27 * place), "xycoords": "axes fraction", "textcoords": "offset points"}
        axes.annotate(word, xytext=(-8, 0), fontweight="bold", va="top", ha="right", **where)
        axes.annotate(text, xytext=(0, 0), va="top", **where)


def _answer(answer: Mapping[str, Any]) -> str:
    named = answer.get("parameters", [answer.get("parameter")])
    rest = [str(answer[key]) for key in ("direction", "magnitude", "interaction") if key in answer]
    return ", ".join([*map(str, named), *rest])
