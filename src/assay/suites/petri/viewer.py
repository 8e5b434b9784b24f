"""The page of an episode: effect sizes of its experiments in order, the submitted answer and the truth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assay.episode import Episode, Event
from assay.numbers.stats import dominance_interval
from assay.protocol import Flag, Materials, Score
from assay.report.blocks import Block, Cell, Mark, Step, facts, section, table
from assay.report.drawing import interval, number
from assay.suites.petri import boundary
from assay.suites.petri.questions.answers import REPLICATES, parameters, truth
from assay.suites.petri.v1.rules import is_held
from assay.task import Task


def show(
    task: Task, episode: Episode, scores: Sequence[Score], flags: Sequence[Flag], materials: Materials
) -> Iterable[Block]:
    """Show the task, the time line of calls, and the answer beside the truth."""
    if task.public["tier"] == boundary.TIER:
        yield from _search(task, episode)
        return
    public, hidden = task.public, task.hidden
    yield facts(
        [
            ("world", public["world"]),
            ("question", f"which parameter of the hidden world was changed ({public['tier']})"),
            ("candidates", ", ".join(public["candidates"])),
            ("target", str(public.get("target", "every metric"))),
            ("budget", f"{public['budget']} charged calls"),
        ]
    )
    rows = [row for event in episode.events if event.kind == "call" for row in _rows(event, public)]
    if rows:
        yield section(
            "Experiments, in order",
            table(
                ("step", "call", "second arm against first (-1 to 1)", "means", "adjusted p"),
                rows,
                "Cliff's delta with its 95 % interval. Filled: significant. Square: of the hidden world.",
            ),
        )
    yield section("Answer", table(("", "submitted", "truth", ""), _answer(episode.submission, hidden)))


def _rows(event: Event, public: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
    """Yield the table rows of a call, one per comparison; claims and refused calls have no comparison."""
    given: Any = event.arguments if isinstance(event.arguments, dict) else {}
    step = Step((event.step,))
    if event.tool == "submit" and event.ok:
        return
    if not event.ok:
        yield step, event.tool, Mark(f"refused: {event.error or ''}", "open"), "", ""
        return
    if event.tool == "claim":
        says = "was" if is_held(public) else "has the effect"
        yield step, f"claims: {given.get('parameter')} {says} {given.get('effect')}", "", "", ""
        return
    result: Any = event.parts[0] if event.parts else None
    if event.tool not in ("experiment", "probe") or not isinstance(result, dict):
        yield step, event.tool, "", "", ""
        return
    probe = event.tool == "probe"
    if probe and is_held(public):
        words = f"the open against the hidden world, both with {_config(given.get('config'))}"
    elif probe:
        words = f"{_config(given.get('guess'))} against the hidden world"
    else:
        words = f"{_config(given.get('config_a'))} against {_config(given.get('config_b'))}"
    of_metrics = (
        {str(given.get("metric", public.get("target", ""))): result} if "mean_a" in result else result
    )
    for n, (metric, statistics) in enumerate(of_metrics.items()):
        named = f"{words}: {metric}" if metric != public.get("target") else words
        yield (
            step if n == 0 else "",
            named if n == 0 else metric,
            _effect(statistics, metric, probe),
            f"{number(statistics['mean_a'], 3)} → {number(statistics['mean_b'], 3)}",
            Mark(number(statistics["p_adjusted"], 2), "plain" if statistics["significant"] else "faint"),
        )


def _effect(statistics: Mapping[str, Any], metric: str, probe: bool) -> Cell:
    low = high = None
    if "u" in statistics:
        low, high = dominance_interval(round(2 * statistics["u"]), REPLICATES, REPLICATES)
    delta = statistics["cliffs_delta"]
    title = f"{metric}: delta {number(delta)}"
    return interval(delta, low, high, title, filled=bool(statistics["significant"]), probe=probe)


def _config(overrides: Any) -> str:
    if not isinstance(overrides, dict) or not overrides:
        return "control"
    return ", ".join(f"{name} {_number(value)}" for name, value in sorted(overrides.items()))


def _number(value: Any) -> str:
    return number(value) if isinstance(value, int | float) else str(value)


def _answer(submission: Any, hidden: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
    """Yield each part of the right answer beside what was submitted."""
    right = truth(hidden)
    given = submission if isinstance(submission, dict) else {}
    changed = ", ".join(f"{d['parameter']} = {_number(d['value'])}" for d in hidden["drivers"])
    named = parameters(submission)
    yield "changed", ", ".join(named) or "nothing", changed, _mark(named, right["parameters"])
    for key in ("direction", "magnitude", "interaction"):
        if key in right:
            yield key, str(given.get(key, "–")), str(right[key]), _mark(given.get(key), right[key])
    if "signature" in right:
        effects = given.get("signature")
        if not isinstance(effects, dict):
            effects = {str(given.get("metric")): given.get("direction")}
        for metric, effect in right["signature"].items():
            mark: Cell = _mark(effects[metric], effect) if metric in effects else ""
            yield f"effect on {metric}", str(effects.get(metric, "–")), str(effect), mark


def _mark(given: Any, right: Any) -> Mark:
    return Mark("right", "good") if given == right else Mark("wrong", "bad")


def _search(task: Task, episode: Episode) -> Iterator[Block]:
    """Show an episode of tier L4, in which a phase boundary is estimated."""
    public, hidden = task.public, task.hidden
    low, high = public["span"]
    band = (hidden["bracket"][0], hidden["bracket"][1])
    yield facts(
        [
            ("world", public["world"]),
            ("question", f"at which {public['parameter']} does {public['metric']} cross {public['level']}"),
            ("span", f"{number(low)} to {number(high)}"),
            ("context", ", ".join(f"{k} {_number(v)}" for k, v in hidden["context"].items())),
            ("budget", f"{public['budget']} measurements"),
        ]
    )
    rows: list[tuple[Cell, ...]] = []
    for event in episode.events:
        result: Any = event.parts[0] if event.parts else None
        if event.tool != "measure" or event.kind != "call":
            continue
        if not event.ok or not isinstance(result, dict):
            rows.append((Step((event.step,)), "", Mark(f"refused: {event.error or ''}", "open"), ""))
            continue
        at = float(event.arguments["value"])
        above = result["mean"] > public["level"]
        drawn = interval(at, None, None, number(at), domain=(low, high), zero=None, band=band, filled=above)
        rows.append(
            (
                Step((event.step,)),
                number(at),
                drawn,
                f"{number(result['mean'], 3)} ± {number(result['sd'], 2)}",
            )
        )
    given = episode.submission if isinstance(episode.submission, dict) else {}
    if isinstance(given.get("estimate"), int | float):
        ends = [given.get(name) for name in ("low", "high")]
        a, b = (float(v) if isinstance(v, int | float) else None for v in ends)
        drawn = interval(
            float(given["estimate"]),
            a,
            b,
            "the estimate",
            domain=(low, high),
            zero=None,
            band=band,
            probe=True,
        )
        rows.append(("", f"answer: {number(given['estimate'])}", drawn, f"{number(a)} to {number(b)}"))
    yield section(
        "Measurements, in order",
        table(
            ("step", public["parameter"], f"{number(low)} to {number(high)}", f"{public['metric']}"),
            rows,
            f"Filled: above {public['level']}. Shaded: the bracket of the boundary. Square: the answer.",
        ),
    )
    yield section(
        "Answer",
        facts(
            [
                ("submitted", number(given.get("estimate")) if given else "nothing"),
                ("truth", f"between {number(band[0])} and {number(band[1])}"),
            ]
        ),
    )
