"""A second program that carries plans of ideas out: one run after the other, with noise of its own.

It reads a plan as JSON and the hidden parameters of a world, and shares no code with `plans.laboratory` and
`plans.questions`. Repetitions are independent, so the mean of many agrees with the laboratory within noise.
"""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np

World = dict[str, Any]
Setting = tuple[float, ...]


def values(world: World, reply: str, repetitions: int, seed: int) -> list[float]:
    """The value of a plan in each repetition."""
    plan = json.loads(reply.removeprefix("<answer>").removesuffix("</answer>"))
    draws = np.random.default_rng(seed)
    return [Experiment(world, plan, draws, turn % 4).value() for turn in range(repetitions)]


class Experiment:
    """One repetition; `turn` is the rate law that holds where rivals are asked about."""

    def __init__(self, world: World, plan: Any, draws: np.random.Generator, turn: int) -> None:
        self.world, self.plan, self.draws, self.turn = world, plan, draws, turn
        self.left, self.spent = world["budget"], 0.0
        self.exact = plan["instrument"].startswith("exact")
        self.adjust = plan["analysis"]["adjust"] in (True, "day", "yes")
        self.shuffled = plan["blocks"]["randomise"] in (True, "yes")
        self.centre = list(world["usual"])
        self.levels: dict[int, list[float]] = {}
        for at, factor in enumerate(world["factors"]):
            told = plan["factors"][factor["name"]]
            if isinstance(told, list):
                self.levels[at] = sorted(self.place(at, one) for one in told)
                self.centre[at] = self.levels[at][len(told) // 2]
            else:
                self.centre[at] = self.place(at, told)

    def place(self, at: int, value: float) -> float:
        low, high = (self.world["factors"][at][end] for end in ("low", "high"))
        if self.world["factors"][at].get("scale") == "log":
            return math.log(value / low) / math.log(high / low)
        return (value - low) / (high - low)

    # ------------------------------------------------------------ what is true

    def suited(self, setting: Setting) -> float:
        world = self.world
        off = [(setting[at] - world["top"][at]) / world["width"][at] for at in world["active"]]
        a, b = world["dead"]["factors"]
        lean = world["dead"]["lean"]
        if lean[0] * setting[a] + lean[1] * setting[b] > world["dead"]["beyond"]:
            return 0.0
        return 1 / (1 + (sum(x * x for x in off) + world["cross"] * off[0] * off[1]) / 2)

    def signals(self, setting: Setting) -> list[float]:
        good, kind = self.suited(setting), self.world["kind"]
        if kind == "surface":
            return [good]
        asked = [setting[at] for at in self.world["asked"]]
        return [good * one for one in SIGNALS[kind](self.world["parameters"], asked, self.turn)]

    # ------------------------------------------------------------ what is done

    def runs(self) -> list[Setting]:
        layout, kept = self.plan["layout"], tuple(self.centre)
        if layout == "grid":
            found = []
            for chosen in itertools.product(*self.levels.values()):
                row = list(kept)
                for at, value in zip(self.levels, chosen, strict=True):
                    row[at] = value
                found.append(tuple(row))
            return found
        found = [kept]
        for at, levels in self.levels.items():
            for value in levels if layout == "one_at_a_time" else (levels[0], levels[-1]):
                if value != kept[at]:
                    found.append((*kept[:at], value, *kept[at + 1 :]))
        return found

    def made(self, runs: list[Setting], control: Setting, shuffle: bool) -> dict[Setting, list[float]]:
        """The mean readings of the settings for which there is money, day after day."""
        world, instrument = self.world, "exact" if self.exact else "cheap"
        price, capacity = world["price"], world["day_capacity"]
        a_run = price[instrument] + (price["shuffling"] if self.shuffled else 0.0)
        a_day = price[instrument] if self.adjust else 0.0
        runs = runs[: int((self.left + 1e-9) / (a_run + a_day / capacity))]
        days = math.ceil(len(runs) / capacity)
        cost = a_run * len(runs) + a_day * days
        self.left, self.spent = self.left - cost, self.spent + cost
        if shuffle:
            runs = [runs[at] for at in self.draws.permutation(len(runs))]
        seen: list[tuple[Setting, int, list[float]]] = []
        controls: list[list[float]] = []
        for day in range(days):
            effect = math.exp(world["day_effect"] * self.draws.normal())
            controls.append(self.read(control, effect))
            for run in runs[day * capacity : (day + 1) * capacity]:
                seen.append((run, day, self.read(run, effect)))
        if self.adjust and controls:
            for at in range(len(controls[0])):
                mean = sum(one[at] for one in controls) / len(controls)
                for _, day, reading in seen:
                    ratio = controls[day][at] / mean if mean > 0 else 1.0
                    reading[at] /= min(max(ratio, 1 / 3), 3.0)
        return {
            run: [
                sum(column) / len(column) for column in zip(*(r for s, _, r in seen if s == run), strict=True)
            ]
            for run in dict.fromkeys(sorted(runs))
        }

    def read(self, setting: Setting, effect: float) -> list[float]:
        found = []
        for signal in self.signals(setting):
            shown, limit = signal * effect, self.world["saturation"]
            if not self.exact:
                shown = limit * shown / (limit + abs(shown))
            scatter = self.world["noise"]["exact" if self.exact else "cheap"]
            found.append(shown + scatter * self.draws.normal())
        return found

    def value(self) -> float:
        """What the conclusion is worth, less a tenth of the share of the budget that was spent."""
        runs = [run for run in self.runs() for _ in range(self.plan["replicates"])]
        means = self.made(runs, tuple(self.centre), self.shuffled)
        model, kind = self.plan["analysis"]["model"], self.world["kind"]
        if kind == "surface":
            best = self.top(means, model, [(levels[0], levels[-1]) for levels in self.levels.values()])
            best = self.second(best, model) if self.plan["second"] and self.levels else best
            base = self.suited(tuple(self.world["usual"]))
            worth = min(max((self.suited(best) - base) / (1 - base), -1.0), 1.0)
        else:
            x = np.array([[run[at] for at in self.world["asked"]] for run in means])
            worth = WORTH[kind](self.world["parameters"], x, np.array(list(means.values())), model, self.turn)
        return worth - 0.1 * min(self.spent / self.world["budget"], 3.0)

    def top(
        self, means: dict[Setting, list[float]], model: str, limits: list[tuple[float, float]]
    ) -> Setting:
        """The setting with the best mean, or the tops of parabolas through it and its neighbours."""
        best = max(means, key=lambda run: means[run][0])
        found = list(best)
        for at, (low, high) in zip(self.levels, limits, strict=True):
            line = sorted(run for run in means if all(run[k] == best[k] for k in range(len(best)) if k != at))
            if "parabola" in model and len(line) >= 3:
                middle = min(max(line.index(best), 1), len(line) - 2)
                three = line[middle - 1 : middle + 2]
                a, b, _ = np.polyfit([run[at] for run in three], [means[run][0] for run in three], 2)
                found[at] = min(max(-b / (2 * a), low), high) if a < -1e-9 else best[at]
        return tuple(found)

    def second(self, best: Setting, model: str) -> Setting:
        told, runs = self.plan["second"], [best]
        for at, levels in self.levels.items():
            span = (levels[-1] - levels[0]) / 2 * told["shrink"]
            for value in (max(best[at] - span, 0.0), min(best[at] + span, 1.0)):
                runs.append((*best[:at], value, *best[at + 1 :]))
        means = self.made([run for run in runs for _ in range(told["replicates"])], best, False)
        return self.top(means, model, [(0.0, 1.0)] * len(self.levels)) if means else best


# ------------------------------------------------------------ questions


def law(turn: int, s: Any, i: Any, k: float, ki: float) -> Any:
    """Competitive, uncompetitive, noncompetitive, and two inhibitors at once."""
    if turn == 0:
        return s / (k * (1 + i / ki) + s)
    if turn == 1:
        return s / (k + s * (1 + i / ki))
    return s / ((k + s) * (1 + (i / ki) ** (1 if turn == 2 else 2)))


def decades(x: Any) -> Any:
    return 10 ** (4 * np.asarray(x) - 2)


def rivals_signal(known: Any, x: list[float], turn: int) -> list[float]:
    order = 2 if known["form"] else 1
    s, i = decades(x)
    return [law(turn, s**order, i, decades(known["k"]) ** order, decades(known["ki"]))]


def rivals_worth(known: Any, x: Any, seen: Any, model: str, turn: int) -> float:
    order, y = 2 if "sigmoid" in model else 1, seen[:, 0]
    s, i = decades(x).T
    left = []
    for one in range(4):
        sums = []
        for k, ki in itertools.product(np.linspace(0.1, 0.9, 9), repeat=2):
            rate = law(one, s**order, i, decades(k) ** order, decades(ki))
            scale = float(rate @ y) / float(rate @ rate)
            sums.append(float(((y - scale * rate) ** 2).sum()))
        left.append(min(sums))
    named = [one <= min(left) * (1 + 1e-6) + 1e-12 for one in left]
    return (named[turn] / sum(named) - 0.25) / 0.75


def dose_curve(x: Any, middle: float, steep: float, last: bool) -> Any:
    u = 10 ** (4 * steep * (np.asarray(x) - middle))
    return 0.5 ** (1 / u) if last else 1 - 0.5**u


def at_five_percent(middle: float, steep: float, last: bool) -> float:
    u = math.log(2) / math.log(20) if last else math.log(20 / 19) / math.log(2)
    return middle + math.log10(u) / (4 * steep)


def threshold_signal(known: Any, x: list[float], turn: int) -> list[float]:
    low = known["background"]
    return [low + (1 - low) * float(dose_curve(x[0], known["middle"], known["steep"], bool(known["form"])))]


def threshold_worth(known: Any, x: Any, seen: Any, model: str, turn: int) -> float:
    truth = at_five_percent(known["middle"], known["steep"], bool(known["form"]))
    found, best, last = 0.0, -1.0, "last" in model
    if len(x) >= 3:
        y = seen[:, 0] - seen[:, 0].mean()
        for steep, middle in itertools.product(np.linspace(0.4, 2.4, 11), np.linspace(0.05, 1.0, 77)):
            curve = dose_curve(x[:, 0], middle, steep, last)
            curve = curve - curve.mean()
            fit = max(float(curve @ y), 0.0) ** 2 / max(float(curve @ curve), 1e-12)
            if fit > best + 1e-12:
                best, found = fit, at_five_percent(middle, steep, last)
    return max(1 - abs(found - truth) / 0.125, 0.0)


def bent(marker: Any, form: bool) -> Any:
    return (2 * marker - 1) ** 2 if form else marker


def effect_signal(known: Any, x: list[float], turn: int) -> list[float]:
    base = known["base"] + known["slope"] * x[1]
    return [base + x[0] * (known["effect"] + known["depends"] * bent(x[1], bool(known["form"])))]


def effect_worth(known: Any, x: Any, seen: Any, model: str, turn: int) -> float:
    columns = np.c_[np.ones(len(x)), x[:, 0], x[:, 1], x[:, 0] * bent(x[:, 1], "bent" in model)]
    a, b, c, d = np.linalg.pinv(columns) @ seen[:, 0]
    gained = possible = 0.0
    for marker in np.linspace(0, 1, 21):
        true = known["effect"] + known["depends"] * bent(marker, bool(known["form"]))
        gain = true - 0.2 * (known["base"] + known["slope"] * marker)
        possible += max(gain, 0.0)
        if b + d * bent(marker, "bent" in model) > 0.2 * (a + c * marker):
            gained += gain
    return max(gained / possible, -1.0)


def arrows(known: Any) -> Any:
    weights = np.zeros((4, 4))
    for i, j in itertools.permutations(range(4), 2):
        weights[i, j] = known[f"{i + 1} on {j + 1}"]
    return weights


def graph_signal(known: Any, x: list[float], turn: int) -> list[float]:
    weights = arrows(known)
    whole = np.linalg.inv(np.eye(4) - weights) if known["form"] else np.eye(4) + weights
    return list(0.5 + 0.3 * (np.asarray(x) - 0.5) @ whole)


def graph_worth(known: Any, x: Any, seen: Any, model: str, turn: int) -> float:
    total = np.eye(4)
    middle = [max(sorted(set(column)), key=list(column).count) for column in x.T]
    for i in range(4):
        line = [
            row for row in range(len(x)) if all(abs(x[row, j] - middle[j]) < 1e-9 for j in range(4) if j != i)
        ]
        if len(line) >= 2 and np.ptp(x[line, i]) > 1e-9:
            slopes = [np.polyfit(x[line, i], seen[line, j], 1)[0] for j in range(4)]
            if abs(slopes[i]) > 1e-9:
                total[i] = [slope / slopes[i] for slope in slopes]
    weights = np.eye(4) - np.linalg.inv(total) if "handed" in model else total - np.eye(4)
    pairs = list(itertools.permutations(range(4), 2))
    true = {pair for pair in pairs if arrows(known)[pair]}
    named = {pair for pair in pairs if abs(weights[pair]) > 0.25}
    return max((2 * len(true & named) / (len(true) + len(named)) - 0.5) / 0.5, 0.0)


def region(known: Any, point: Any) -> float:
    parts = [((point[k] - known[f"middle {k + 1}"]) / known[f"half {k + 1}"]) ** 2 for k in range(3)]
    return max(parts) if known["form"] else sum(parts)


def boundary_signal(known: Any, x: list[float], turn: int) -> list[float]:
    return [1 / (1 + region(known, x))]


def boundary_worth(known: Any, x: Any, seen: Any, model: str, turn: int) -> float:
    read = seen[:, 0]
    works = x[read >= 0.5 * read.max()]
    shape: dict[str, float] = {"form": float("box" in model)}
    for k in range(3):
        low, high = works[:, k].min(), works[:, k].max()
        below, above = x[x[:, k] < low, k], x[x[:, k] > high, k]
        low = (low + below.max()) / 2 if len(below) else low - 0.05
        high = (high + above.min()) / 2 if len(above) else high + 0.05
        shape |= {f"middle {k + 1}": (low + high) / 2, f"half {k + 1}": (high - low) / 2}
    points = list(itertools.product((np.arange(9) + 0.5) / 9, repeat=3))
    true = {point for point in points if region(known, point) <= 1}
    named = {point for point in points if region(shape, point) <= 1 + 1e-9}
    whole = len(true) / len(points)
    return max((len(true & named) / max(len(true | named), 1) - whole) / (1 - whole), 0.0)


SIGNALS = {
    "rivals": rivals_signal,
    "threshold": threshold_signal,
    "effect": effect_signal,
    "graph": graph_signal,
    "boundary": boundary_signal,
}
WORTH = {
    "rivals": rivals_worth,
    "threshold": threshold_worth,
    "effect": effect_worth,
    "graph": graph_worth,
    "boundary": boundary_worth,
}
