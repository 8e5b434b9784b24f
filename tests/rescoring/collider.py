"""Metrics of collider from the submitted text: the published formulas once more, bin by bin.

What the gate confirmed is taken from the run's own event file: its selected events, weighted, in the bins
asked for. Random numbers of the bootstrap are those of docs/determinism.md, made here again.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from statistics import NormalDist

import yaml

EXEMPT: dict[str, str] = {}

METRICS_OF_SHAPES = (
    "d_shape",
    "mean_abs_frac_error_pct",
    "d_bar",
    "d_max",
    "dmax_dbar_ratio",
    "jensen_shannon",
    "jensen_shannon_dist",
    "lambda_shape",
)
METRICS_OF_YIELDS = ("delta_norm", "rmsle", "lambda_norm", "pull", "d_floor")
REPLICATES = 1000
LARGEST = 1e100  # squares of larger numbers overflow


def needs_events(task):
    """Event files may confirm a submission, wherever there is a generator."""
    return True


def rescore(task, episode, blob, given):
    """Value by (profile, metric, step) of one episode; `blob` gives the bytes of a hash."""
    public, hidden = task.public, {**task.hidden, "cross_section_error": rate_error(task)}
    reference = hidden["yields"]
    values = dict.fromkeys((*METRICS_OF_SHAPES, *METRICS_OF_YIELDS, "d_low", "d_high", "selected"))
    submitted = yields(episode.submission, public["histogram"])
    counted = selection(episode, blob, public, submitted)
    values["selected"] = counted and counted["selected"]
    values["events"] = episode.counters.get("event", 0)
    values["valid"] = float(submitted is not None)
    values["d"] = 1.0
    if submitted is not None:
        mode = public["mode"]
        d = distance(submitted, reference)
        if mode != "yield":
            values |= of_shapes(submitted, reference)
        if mode == "shape":
            d = values["d_shape"]
        else:
            noise = counted["errors"] if counted and counted["agrees"] else [0.0] * len(reference)
            values |= of_yields(submitted, reference)
            values |= of_errors(submitted, reference, hidden, noise)
        if d is not None and not (mode == "shape" and sum(submitted) <= 0):
            noise = counted["errors"] if counted and counted["agrees"] else [0.0] * len(reference)
            bounds = bootstrap(submitted, reference, hidden, noise, task.seed, mode == "shape")
            values["d_low"], values["d_high"] = bounds
        if d is not None:
            values["d"] = d
    values["score"] = max(0.0, 1 - values["d"])
    values["solved"] = float(values["d"] < 0.33)
    return {("default", metric, None): value for metric, value in values.items()}


def rate_error(task):
    """What the frozen task holds, or else what is kept by now for the first mass of its point."""
    error = task.hidden["cross_section_error"]
    if error > 0 or task.strata["source"] in ("mock", "hidden"):
        return error
    model, mass, *_ = task.public["point"].split("_")
    order = "nnlo_relative_error" if task.public["paper"] in NNLO else "relative_error"
    for row in KEPT.get(PRODUCED.get(model), {"points": []})["points"]:
        if row["mass"] == float(mass):
            return row.get(order) or 0.0
    return 0.0


PRODUCED = {
    **dict.fromkeys(("T1", "T5WW", "T5Wg", "Gl", "Gl1step"), "gluino-pair"),
    **dict.fromkeys(("T2qq", "T6gg", "Sq"), "squark-antisquark"),
}
NNLO = ("ATLAS-SUSY-2018-22",)
KEPT = yaml.safe_load(
    (Path(__file__).parents[2] / "src/assay/suites/collider/data/cross_sections.yaml").read_text()
)


# ------------------------------------------------------------ is it a histogram?


class Core(yaml.SafeLoader):
    """YAML 1.2, core schema: what is a number in JSON is one here, and `no` is a text."""

    yaml_implicit_resolvers: dict = {}  # noqa: RUF012 (PyYAML's own form)

    def construct_mapping(self, node, deep=False):
        found = super().construct_mapping(node, deep)
        if len(found) < len(node.value):
            raise yaml.YAMLError("a key occurs twice")
        return found


Core.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"(~|null|Null|NULL|)\Z"), None)
Core.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"(true|True|TRUE|false|False|FALSE)\Z"), None
)
Core.add_implicit_resolver(
    "tag:yaml.org,2002:int", re.compile(r"([-+]?[0-9]+|0x[0-9a-fA-F]+|0o[0-7]+)\Z"), None
)
Core.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(
        r"([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))\Z"
    ),
    None,
)
Core.add_constructor(
    "tag:yaml.org,2002:int",
    lambda loader, node: int(node.value, 0 if node.value[1:2] in ("x", "o") else 10),
)
Core.add_constructor(
    "tag:yaml.org,2002:float",
    lambda loader, node: float(re.sub(r"\.(?=[a-zA-Z])", "", node.value)),
)


def yields(text, histogram):
    """The submitted yields; null where the text is no histogram in the bins asked for."""
    if not isinstance(text, str):
        return None
    try:
        documents = list(yaml.load_all(text, Core))
        tables = [d for d in documents if isinstance(d, dict) and "dependent_variables" in d]
        (series,) = [
            one for one in tables[0]["dependent_variables"] if one["header"]["name"] == histogram["series"]
        ]
        values = [entry["value"] for entry in series["values"]]
        edges = histogram["edges"]
        if len(values) != len(edges) - 1:
            return None
        if tables[0].get("independent_variables") is not None:
            (axis,) = tables[0]["independent_variables"]
            ends = [(entry["low"], entry["high"]) for entry in axis["values"]]
            wanted = list(itertools.pairwise(edges))
            if len(ends) != len(wanted) or not all(
                number(end) and abs(end - true) <= 1e-9 * max(abs(end), abs(true))
                for pair, trues in zip(ends, wanted, strict=True)
                for end, true in zip(pair, trues, strict=True)
            ):
                return None
    except (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError):
        return None
    if all(number(value) and 0 <= value <= LARGEST for value in values):
        return [float(value) for value in values]
    return None


def number(value):
    return type(value) in (int, float) and math.isfinite(value)


# ------------------------------------------------------------ the published metrics


def distance(y, r):
    norm = sum(b * b for b in r)
    return None if norm == 0 else math.sqrt(sum((a - b) ** 2 for a, b in zip(y, r, strict=True)) / norm)


def of_shapes(y, r):
    if sum(y) <= 0 or sum(r) <= 0:
        return {"d_shape": 1.0}
    p = [a / sum(y) for a in y]
    q = [b / sum(r) for b in r]
    both = list(zip(p, q, strict=True))
    gaps = [abs(a - b) for a, b in both]
    relative = [abs(a - b) / b for a, b in both if b > 0]
    divergence = min(1.0, max(0.0, float(jensen_shannon(y, r))))
    if any(a > 0 and b == 0 for a, b in both):
        ratio = None  # infinite
    else:
        alpha = sum(y) / sum(r)
        ratio = max(0.0, 2 * sum(a * math.log(a / (alpha * b)) for a, b in zip(y, r, strict=True) if a > 0))
    return {
        "d_shape": distance(p, q),
        "mean_abs_frac_error_pct": 100 * sum(relative) / len(relative),
        "d_bar": sum(gaps) / 2,
        "d_max": max(gaps),
        # Below this both are what rounding leaves of equal shapes.
        "dmax_dbar_ratio": min(1.0, max(gaps) / (sum(gaps) / 2)) if sum(gaps) / 2 > 1e-12 else None,
        "jensen_shannon": divergence,
        "jensen_shannon_dist": math.sqrt(divergence),
        "lambda_shape": ratio,
    }


def jensen_shannon(y, r):
    """In bits, with fifty digits: of equal shapes no rest may be left for a square root to make large."""
    with localcontext(prec=50):
        y, r = [Decimal(a) for a in y], [Decimal(b) for b in r]
        bits = Decimal(0)
        for a, b in zip(y, r, strict=True):
            a, b = a / sum(y), b / sum(r)
            for one in (a, b):
                if one > 0:
                    bits += one / 2 * (one / ((a + b) / 2)).ln() / Decimal(2).ln()
        return bits


def of_yields(y, r):
    logs = [(math.log(a + 1) - math.log(b + 1)) ** 2 for a, b in zip(y, r, strict=True)]
    y_sum, r_sum = sum(y), sum(r)
    ratio = None
    if y_sum > 0 and r_sum > 0:
        ratio = max(0.0, 2 * (y_sum * math.log(y_sum / r_sum) - (y_sum - r_sum)))
    return {
        "delta_norm": abs(y_sum - r_sum) / r_sum if r_sum else None,
        "rmsle": math.sqrt(sum(logs) / len(logs)),
        "lambda_norm": ratio,
    }


# ------------------------------------------------------------ with uncertainties


def of_errors(y, r, hidden, noise):
    """`pull` and `d_floor`: the covariance is diagonal but for the rate, which moves all bins together."""
    # Exact numbers: the common part may be so large that a sum of both forgets the other.
    rate = Fraction(hidden["cross_section_error"])
    y, r, noise, errors = ([Fraction(v) for v in one] for one in (y, r, noise, hidden["errors"]))
    variances = [a * a + b * b for a, b in zip(errors, noise, strict=True)]
    found = {"pull": None, "d_floor": None}
    norm = sum(b * b for b in r)
    if norm > 0:
        found["d_floor"] = math.sqrt((sum(variances) + rate**2 * norm) / norm)
    if all(v > 0 for v in variances):
        size = len(r)
        matrix = [
            [rate**2 * r[i] * r[j] + (variances[i] if i == j else 0) for j in range(size)]
            for i in range(size)
        ]
        gap = [a - b for a, b in zip(y, r, strict=True)]
        chi2 = sum(g * x for g, x in zip(gap, solved(matrix, gap), strict=True))
        found["pull"] = math.sqrt(max(Fraction(0), chi2) / size)
    return found


def solved(matrix, right):
    """The exact solution of a linear system, by elimination."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    n = len(rows)
    for k in range(n):
        for i in range(n):
            if i != k:
                share = rows[i][k] / rows[k][k]
                rows[i] = [a - share * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [rows[k][n] / rows[k][k] for k in range(n)]


def bootstrap(y, r, hidden, noise, seed, shapes):
    """The 95 % interval of d over 1000 redrawn rates, submissions and references, in this order of draws."""
    draw = normals(seed)
    bins = range(len(r))
    below = sum((b / sum(r) if shapes else b) ** 2 for b in r)
    found = []
    for _ in range(REPLICATES):
        scale = 1 + hidden["cross_section_error"] * next(draw)
        first = [max(0.0, y[k] + noise[k] * next(draw)) for k in bins]
        second = [max(0.0, scale * r[k] + hidden["errors"][k] * next(draw)) for k in bins]
        if shapes:
            first = [a / sum(first) for a in first] if sum(first) > 0 else [0.0 for _ in bins]
            second = [b / sum(second) for b in second] if sum(second) > 0 else [0.0 for _ in bins]
        found.append(math.sqrt(sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) / below))
    found.sort()
    return found[25], found[-26]


def normals(seed):
    """Normal numbers from SplitMix64 under a key, one uniform number each."""
    quantile, state = NormalDist().inv_cdf, seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
        z ^= z >> 31
        yield quantile(((z >> 12) + 0.5) / 2**52)


# ------------------------------------------------------------ what the yields rest on


def selection(episode, blob, public, submitted):
    """The selected events of the last files: how many, the error of each bin, whether the yields follow."""
    if submitted is None:
        return None
    last = {}
    for event in episode.events:
        if event.kind == "file":
            last[event.arguments["path"]] = event.parts[0]
    edges, column = public["histogram"]["edges"], public["histogram"]["observable"].lower()
    for path in sorted(last):
        if not (path.startswith("workspace/data/") and path.endswith(".csv")):
            continue
        rows = list(csv.DictReader(io.StringIO(blob(last[path].sha256).decode())))
        if not rows or not {"weight", "selected", column} <= rows[0].keys():
            continue
        weights = [[] for _ in edges[1:]]
        for row in rows:
            if float(row["selected"]) == 1 and float(row[column]) >= edges[0]:
                place = sum(float(row[column]) >= edge for edge in edges[1:-1])  # the last bin is open
                weights[place].append(float(row["weight"]))
        sums = [sum(one) for one in weights]
        scale = 1.0
        if public["mode"] == "shape" and sum(sums) > 0 and sum(submitted) > 0:
            scale = sum(submitted) / sum(sums)
        return {
            "selected": sum(len(one) for one in weights),
            "errors": [scale * math.sqrt(sum(w * w for w in one)) for one in weights],
            "agrees": all(
                abs(a - scale * b) <= 1e-6 + 1e-3 * max(scale * b, 1e-3)
                for a, b in zip(submitted, sums, strict=True)
            ),
        }
    return None
