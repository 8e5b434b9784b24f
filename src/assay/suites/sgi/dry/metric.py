"""Metric calculation: scores of agreement and shape whose ties, baselines and averages are conventions."""

from __future__ import annotations

from assay.suites.sgi.dry.specification import Specification, masked_function

KIND = "Metric Calculation"

SPECIFICATIONS: tuple[Specification, ...] = (
    masked_function(
        KIND,
        "information",
        "precision_recall_area(labels, scores)",
        """Area under the precision-recall curve; labels are 0 or 1, a higher score means more likely 1.
Thresholds fall
between different scores, so ties are taken together. Without positives the result is 0.0.""",
        """
positives = sum(labels)
if positives == 0:
    return 0.0
area = last = hits = taken = 0.0
before = 1.0
for s in sorted(set(scores), reverse=$descending):
    group = [y for y, t in zip(labels, scores) if t == s]
    hits += sum(group)
    taken += len(group)
    precision, recall = hits / taken, hits / positives
    area += (recall - last) * $height
    last, before = recall, precision
return area $chance
""",
        descending=(
            ("True", "High scores come first."),
            ("False", "Low scores come first: a lower score means more likely 1."),
        ),
        height=(
            ("precision", "A step has the precision at its end (average precision)."),
            ("(precision + before) / 2", "A step is a trapezoid; the curve starts at precision 1."),
        ),
        chance=(
            ("", "Nothing is subtracted."),
            ("- positives / len(labels)", "The share of positives is subtracted."),
        ),
        data='{"labels": [integer(0, 1) for _ in range(n)] + [1], "scores": [integer(0, 12) for _ in'
        " range(n + 1)]}",
        edge='{"labels": [0, 1, 0, 1], "scores": [3, 3, 3, 3]}',
        sizes=(14, 60),
    ),
    masked_function(
        KIND,
        "life chemistry",
        "superposed_deviation(first, second)",
        """Root mean square deviation of two lists of points [x, y] after the best rotation (and what else
is said below) of
the first onto the second. No points give 0.0.""",
        """
n = len(first)
if n == 0:
    return 0.0
def centred(points):
    if not $centre:
        return points
    mx, my = sum(p[0] for p in points) / n, sum(p[1] for p in points) / n
    return [[p[0] - mx, p[1] - my] for p in points]
a, b = centred(first), centred(second)
dot = sum(p[0] * q[0] + p[1] * q[1] for p, q in zip(a, b))
cross = sum(p[0] * q[1] - p[1] * q[0] for p, q in zip(a, b))
even = sum(p[0] * q[0] - p[1] * q[1] for p, q in zip(a, b))
odd = sum(p[0] * q[1] + p[1] * q[0] for p, q in zip(a, b))
mirror = math.hypot(even, odd)
best = $best
square = sum(p[0] ** 2 + p[1] ** 2 for p in a) + sum(q[0] ** 2 + q[1] ** 2 for q in b) - 2.0 * best
return $output
""",
        centre=(
            ("True", "Both are first moved to their centroids."),
            ("False", "Both stay where they are: the rotation is about the origin."),
        ),
        best=(
            ("math.hypot(dot, cross)", "Only rotations are allowed."),
            ("max(math.hypot(dot, cross), mirror)", "Reflections are allowed, too."),
        ),
        output=(
            ("math.sqrt(max(square, 0.0) / n)", "The mean is over points."),
            ("math.sqrt(max(square, 0.0) / (2 * n))", "The mean is over coordinates, two a point."),
            ("max(square, 0.0)", "The result is the sum of squares, not its root mean."),
        ),
        data='{"first": [[real(-5, 5), real(-5, 5)] for _ in range(n)], "second": [[real(-5, 5),'
        " real(-5, 5)] for _ in range(n)]}",
        edge='{"first": [[1.0, 2.0], [4.0, -3.0]], "second": [[2.0, 0.5], [-1.0, 5.0]]}',
        hard='{"first": [[0.0, 1.0], [3.0, 0.0], [real(1, 2), -4.0]], "second": [[0.0, -1.0], [3.0,'
        " 0.5], [real(1, 2), 4.0]]}",
        sizes=(6, 40),
    ),
    masked_function(
        KIND,
        "earth",
        "vegetation_composite(red, infrared, cloud)",
        """One value for a pixel from a list of dates: the vegetation index (infrared - red) / (infrared +
red) of each date
that is free of cloud (cloud probability in percent), combined. A date whose sum is 0 is left out; nothing
left gives nan.""",
        """
kept = []
for r, i, c in zip(red, infrared, cloud):
    if c $clear and i + r != 0:
        kept.append($index)
if not kept:
    return float("nan")
kept.sort()
return $combined
""",
        clear=(("< 40", "Free of cloud means below 40 %."), ("<= 25", "Free of cloud means at most 25 %.")),
        index=(
            ("(i - r) / (i + r)", "The index is not changed."),
            (
                "1.5 * (i - r) / (i + r + 0.5)",
                "A soil term is used: 1.5 (infrared - red) / (infrared + red + 0.5).",
            ),
            ("max((i - r) / (i + r), 0.0)", "Negative values of the index become 0."),
        ),
        combined=(
            ("kept[-1]", "The largest value is taken."),
            ("sum(kept) / len(kept)", "The mean is taken."),
            ("kept[len(kept) // 2]", "The upper median is taken."),
        ),
        data='{"red": reals(n, 0.05, 0.6), "infrared": reals(n, 0.1, 0.7), "cloud": [integer(0, 100)'
        " for _ in range(n)]}",
        edge='{"red": [0.2, 0.3, 0.1], "infrared": [0.5, 0.1, 0.6], "cloud": [25, 40, 99]}',
        hard='{"red": reals(n, 0.3, 0.9), "infrared": reals(n, 0.1, 0.4), "cloud": [integer(20, 45)'
        " for _ in range(n)]}",
    ),
    masked_function(
        KIND,
        "neuroscience physics",
        "train_distance(first, second, cost)",
        """Victor-Purpura distance of two event trains (spikes, or photon arrivals), both ascending: the
cheapest way to turn
the first into the second by adding or deleting an event (cost 1 each) or by shifting one.""",
        """
row = [float(j) for j in range(len(second) + 1)]
for i, a in enumerate(first, 1):
    last, row = row, [i * 1.0]
    for j, b in enumerate(second, 1):
        shift = last[j - 1] + $shift
        row.append(min(last[j] + 1.0, row[j - 1] + $adding, shift))
return row[-1] / $scale
""",
        shift=(
            ("cost * abs(a - b)", "A shift by t costs cost * t."),
            ("cost * (a - b) ** 2", "A shift by t costs cost * t^2."),
        ),
        adding=(
            ("1.0", "Adding costs 1 as deleting does."),
            (
                "0.8",
                "Adding an event after others have been placed costs 0.8; adding to the empty train costs 1.",
            ),
        ),
        scale=(
            ("1.0", "The distance is not scaled."),
            (
                "max(len(first) + len(second), 1)",
                "The distance is divided by the number of events of both, but at least 1.",
            ),
        ),
        data='{"first": sorted(reals(n, 0, 10)), "second": sorted(reals(n - 2, 0, 10)), "cost":'
        " real(0.4, 3)}",
        edge='{"first": [1.0, 2.0], "second": [1.5], "cost": 0.6}',
        sizes=(8, 30),
    ),
    masked_function(
        KIND,
        "energy",
        "forecast_skill(actual, forecast, season)",
        """Scaled error of a forecast: mean absolute error over the mean absolute change of `actual` at a
lag of `season`.
Too short a series or a denominator of 0 gives nan.""",
        """
if len(actual) <= season:
    return float("nan")
errors = [abs(a - f) for a, f in zip(actual, forecast) if $counted]
naive = [abs(actual[k] - actual[k - season]) for k in range(season, len(actual))]
scale = sum(naive) / $length
if scale == 0 or not errors:
    return float("nan")
return $output
""",
        counted=(
            ("True", "Every hour counts."),
            ("a > 0", "Only hours with a positive actual value count in the numerator."),
        ),
        length=(
            ("len(naive)", "The denominator is a mean over the differences."),
            ("len(actual)", "The denominator is the sum of the differences over the length of the series."),
        ),
        output=(
            ("sum(errors) / len(errors) / scale", "The result is the scaled error."),
            (
                "1.0 - sum(errors) / len(errors) / scale",
                "The result is the skill, one minus the scaled error.",
            ),
            ("max(errors) / scale", "In place of the mean error the largest is taken."),
        ),
        data='{"actual": reals(n, -2, 9), "forecast": reals(n, 0, 8), "season": 3}',
        edge='{"actual": [2.0, 5.0, -3.0], "forecast": [3.0, 4.0, 1.0], "season": 2}',
    ),
    masked_function(
        KIND,
        "mathematics",
        "cluster_silhouette(values, labels)",
        """Mean silhouette of points on a line: (b - a) / max(a, b) with a the mean distance to the own
cluster and b the least
mean distance to another one. Fewer than two clusters give 0.0.""",
        """
groups = sorted(set(labels))
if len(groups) < 2:
    return 0.0
total = []
for k, (x, own) in enumerate(zip(values, labels)):
    def mean_to(group):
        others = [abs(x - y) for j, (y, g) in enumerate(zip(values, labels)) if g == group and j != k]
        return sum(others) / len(others) if others else None
    a = mean_to(own)
    b = $nearest(mean_to(g) for g in groups if g != own)
    if a is None:
        total.append($single)
    elif max(a, b) > 0:
        total.append((b - a) / $scale)
return sum(total) / max(len(total), 1)
""",
        nearest=(
            ("min", "The other cluster is the nearest one."),
            ("max", "The other cluster is the farthest one."),
        ),
        single=(
            ("0.0", "A point alone in its cluster counts as 0."),
            ("1.0", "A point alone in its cluster counts as 1."),
        ),
        scale=(
            ("max(a, b)", "The difference is divided by the larger of a and b."),
            ("(a + b)", "The difference is divided by a + b, not by the larger of them."),
        ),
        data='{"values": reals(n, 0, 20), "labels": [integer(0, 2) for _ in range(n)]}',
        edge='{"values": [1.0, 2.0, 9.0], "labels": [0, 0, 1]}',
        sizes=(10, 26),
    ),
    masked_function(
        KIND,
        "astronomy",
        "light_asymmetry(image)",
        """Asymmetry of an image (a list of rows): sum of |I - I turned by 180 degrees| over a norm. Pixels
below the background
are cut as said below. An empty image or a norm of 0 gives 0.0.""",
        """
if not image or not image[0]:
    return 0.0
rows, columns = len(image), len(image[0])
flat = sorted(v for row in image for v in row)
level = $background
cut = [[max(v - level, $floor) for v in row] for row in image]
turned = [row[::-1] for row in cut[::-1]]
difference = sum(abs(cut[i][j] - turned[i][j]) for i in range(rows) for j in range(columns))
norm = sum(abs(v) for row in cut for v in row)
return 0.0 if norm == 0 else difference / ($norm)
""",
        background=(
            ("flat[len(flat) // 2]", "The background is the upper median of all pixels."),
            ("flat[0]", "The background is the faintest pixel."),
            ("0.0", "The background is 0."),
        ),
        floor=(
            ("0.0", "After subtraction negative pixels become 0."),
            ("-1e9", "After subtraction negative pixels stay."),
        ),
        norm=(("norm", "The norm is the sum of |I|."), ("2.0 * norm", "The norm is twice the sum of |I|.")),
        data='{"image": [reals(n, 0, 30) for _ in range(n + 1)]}',
        edge='{"image": [[1.0, 5.0, 2.0]]}',
        hard='{"image": [reals(n, -6, 9) for _ in range(n)]}',
        sizes=(5, 12),
    ),
    masked_function(
        KIND,
        "material",
        "grain_size_number(lengths, magnification)",
        """A grain size number from intercept lengths in mm on a micrograph: -6.6457 log10(mean true length
in mm) - 3.298.
Intercepts that are not positive are left out; none left gives nan.""",
        """
kept = sorted(x for x in lengths if x > 0)
if not kept:
    return float("nan")
kept = kept[$trimmed]
true = [x / magnification for x in kept]
mean = $mean
return $rounded
""",
        trimmed=(
            (":", "All remaining intercepts count."),
            ("1 if len(kept) > 2 else 0:", "The shortest of more than two intercepts is left out."),
        ),
        mean=(
            ("sum(true) / len(true)", "The mean is arithmetic."),
            ("math.exp(sum(math.log(x) for x in true) / len(true))", "The mean is geometric."),
            ("len(true) / sum(1.0 / x for x in true)", "The mean is harmonic."),
        ),
        rounded=(
            ("-6.6457 * math.log10(mean) - 3.298", "The result is not rounded."),
            (
                "math.floor(2.0 * (-6.6457 * math.log10(mean) - 3.298) + 0.5) / 2.0",
                "The result is rounded to the nearest half, halves of that upwards.",
            ),
        ),
        data='{"lengths": reals(n, 0.5, 14), "magnification": real(80, 500)}',
        edge='{"lengths": [0.0, -2.0, 1.0, 9.0], "magnification": 1.5}',
    ),
)
