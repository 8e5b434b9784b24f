"""Predictive modeling: small models whose scaling, penalties and splits are conventions."""

from __future__ import annotations

from assay.suites.sgi.dry.numerical import SOLVE
from assay.suites.sgi.dry.specification import Specification, masked_function

KIND = "Predictive Modeling"

SPECIFICATIONS: tuple[Specification, ...] = (
    masked_function(
        KIND,
        "material information",
        "ridge_weights(features, targets, penalty)",
        """Weights of ridge regression without intercept on two standardised features (a list of [x1, x2]);
the targets are
centred. A feature without spread is only centred. No rows give [0.0, 0.0].""",
        """
n = len(features)
if n == 0:
    return [0.0, 0.0]
columns = []
for k in range(2):
    mean = sum(row[k] for row in features) / n
    spread = math.sqrt(sum((row[k] - mean) ** 2 for row in features) / max(n - $ddof, 1))
    columns.append([(row[k] - mean) / (spread if spread > 0 else 1.0) for row in features])
centre = sum(targets) / n
y = [t - centre for t in targets]
matrix = [[sum(a * b for a, b in zip(columns[i], columns[j])) for j in range(2)] for i in range(2)]
for k in range(2):
    matrix[k][k] += $penalty
return solve_linear(matrix, [sum(a * b for a, b in zip(column, y)) for column in columns])
""",
        helper=SOLVE,
        ddof=(
            ("0", "Standard deviations divide by n."),
            ("1", "Standard deviations divide by n - 1, but at least by 1."),
        ),
        penalty=(
            ("penalty", "The penalty is added to the diagonal of X'X."),
            ("penalty * n", "The penalty times the number of rows is added to the diagonal of X'X."),
            (
                "penalty * (k + 1)",
                "The penalty is added to the diagonal for the first feature and twice of it for the second.",
            ),
        ),
        data='{"features": [[real(0, 9), real(-5, 5)] for _ in range(n)], "targets": reals(n, -3,'
        ' 8), "penalty": real(0.5, 4)}',
        edge='{"features": [[1.0, 2.0], [1.0, 3.0], [1.0, 5.5]], "targets": [1.0, 2.0, 4.0], "penalty": 1.0}',
    ),
    masked_function(
        KIND,
        "chemistry",
        "cross_validated_fit(x, y, folds)",
        """Cross-validated Q2 of a straight line: one minus the sum of squared errors of held-out points
over a total sum of
squares. A total of 0 or fewer than three points give nan.""",
        """
n = len(x)
if n < 3:
    return float("nan")
errors = total = 0.0
overall = sum(y) / n
for fold in range(folds):
    held = [k for k in range(n) if $member]
    kept = [k for k in range(n) if k not in held]
    mx, my = sum(x[k] for k in kept) / len(kept), sum(y[k] for k in kept) / len(kept)
    square = sum((x[k] - mx) ** 2 for k in kept)
    slope = sum((x[k] - mx) * (y[k] - my) for k in kept) / square if square > 0 else 0.0
    for k in held:
        errors += (y[k] - my - slope * (x[k] - mx)) ** 2
        total += (y[k] - $baseline) ** 2
return $output if total > 0 else float("nan")
""",
        member=(
            ("k % folds == fold", "Point k is held out in fold k modulo folds."),
            (
                "k * folds // n == fold",
                "Folds are blocks in a row: point k is held out in fold k * folds // n.",
            ),
        ),
        baseline=(
            ("overall", "The total is about the mean of all points."),
            ("my", "The total is about the mean of the points kept in each fold."),
        ),
        output=(
            ("1.0 - errors / total", "The result is Q2."),
            (
                "math.sqrt(errors / n)",
                "The result is the root mean square error of held-out points instead (nan as above).",
            ),
        ),
        data='{"x": reals(n, 0, 10), "y": reals(n, 0, 10), "folds": 3}',
        edge='{"x": [2.0, 2.0, 2.0, 2.0], "y": [1.0, 2.0, 3.0, 5.0], "folds": 2}',
    ),
    masked_function(
        KIND,
        "astronomy physics",
        "filtered_states(observations, noise, drift)",
        """Estimates of a scalar state by a Kalman filter for a random walk with variance `drift` a step,
observed with variance
`noise`, one for each observation. A missing observation (null) is skipped as said below.""",
        """
state, variance = $start
found = []
for z in observations:
    variance += drift
    if z is None:
        found.append($missing)
        continue
    gain = variance / (variance + noise)
    innovation = $innovation
    state += gain * innovation
    variance *= 1.0 - gain
    found.append(state)
return found
""",
        start=(
            ("0.0, 1.0", "The first state is 0 with the variance 1."),
            ("0.0, 100.0", "The first state is 0 with the variance 100."),
            ("5.0, 1.0", "The first state is 5 with the variance 1."),
        ),
        missing=(
            ("state", "There the estimate stays, while its variance grows."),
            ("float('nan')", "There the estimate is nan, and the variance grows."),
        ),
        innovation=(
            ("z - state", "Innovations are not limited."),
            ("max(min(z - state, 2.0), -2.0)", "Innovations are limited to the range from -2 to 2."),
        ),
        data='{"observations": [None if integer(0, 5) == 0 else real(0, 9) for _ in range(n)],'
        ' "noise": real(0.5, 2), "drift": real(0.1, 0.9)}',
        edge='{"observations": [None, 4.0, None, 6.0], "noise": 1.0, "drift": 0.5}',
    ),
    masked_function(
        KIND,
        "earth energy",
        "smoothed_forecast(series, level, trend, ahead)",
        """Forecasts 1 .. `ahead` steps after a series by exponential smoothing with a trend (Holt);
`level` and `trend` are the
smoothing factors. A series of fewer than two values gives zeros.""",
        """
if len(series) < 2:
    return [0.0] * ahead
height, slope = series[0], $slope
for value in series[1:]:
    before = height
    height = level * value + (1.0 - level) * (height + $carried)
    slope = trend * (height - before) + (1.0 - trend) * slope
return [$output for k in range(1, ahead + 1)]
""",
        slope=(
            ("series[1] - series[0]", "The trend starts as the first difference."),
            ("0.0", "The trend starts at 0."),
            (
                "(series[-1] - series[0]) / (len(series) - 1)",
                "The trend starts as the mean difference of the series.",
            ),
        ),
        carried=(
            ("slope", "The trend is carried in full from step to step."),
            ("0.9 * slope", "The trend that is carried into the level is damped by 0.9."),
        ),
        output=(
            ("height + k * slope", "Forecast k adds k trends."),
            ("max(height + k * slope, 0.0)", "Forecast k adds k trends; negative forecasts become 0."),
        ),
        data='{"series": reals(n, 2, 12), "level": real(0.2, 0.8), "trend": real(0.1, 0.6), "ahead": 4}',
        edge='{"series": [9.0, 4.0, 1.0], "level": 0.6, "trend": 0.5, "ahead": 3}',
        hard='{"series": [12.0 - k - real(0, 1) for k in range(n)], "level": 0.7, "trend": 0.5, "ahead": 5}',
    ),
    masked_function(
        KIND,
        "life",
        "nearest_classes(train, labels, queries, k)",
        """Class of each query point [x, y] by its k nearest training points. Ties of distance go to the
earlier training
point, ties of votes to the smaller class.""",
        """
found = []
for q in queries:
    ranked = []
    for i, p in enumerate(train):
        distance = $distance
        ranked.append((distance, i))
    ranked.sort()
    votes = {}
    for distance, i in ranked[:k]:
        votes[labels[i]] = votes.get(labels[i], 0.0) + $weight
    found.append(min(votes, key=lambda c: (-votes[c], c)) $shown)
return found
""",
        distance=(
            ("math.hypot(p[0] - q[0], p[1] - q[1])", "Distances are Euclidean."),
            ("abs(p[0] - q[0]) + abs(p[1] - q[1])", "Distances are sums of absolute differences."),
            ("max(abs(p[0] - q[0]), abs(p[1] - q[1]))", "Distances are largest absolute differences."),
        ),
        weight=(
            ("1.0", "Every neighbour has one vote."),
            ("1.0 / (distance + 0.1)", "A neighbour's vote is 1 / (distance + 0.1)."),
        ),
        shown=(("", "Classes are given as they are."), ("+ 1", "Classes are given plus one.")),
        data='{"train": [[real(0, 9), real(0, 9)] for _ in range(n)], "labels": [integer(0, 3) for _'
        " in range(n)],"
        ' "queries": [[real(0, 9), real(0, 9)] for _ in range(n)], "k": 4}',
        edge='{"train": [[0.0, 0.0], [2.0, 0.0], [1.2, 1.2], [5.0, 5.0]], "labels": [2, 1, 0, 3],'
        ' "queries": [[1.0, 0.0], [0.4, 0.4], [2.2, 1.5], [9.0, 9.0]], "k": 2}',
        sizes=(14, 40),
    ),
    masked_function(
        KIND,
        "neuroscience",
        "logistic_weights(features, labels, rate, steps)",
        """Weight and bias of a logistic regression on one feature after `steps` of gradient descent on the
mean log loss, both
from 0. No data gives [0.0, 0.0].""",
        """
w = b = 0.0
n = len(features)
if n == 0:
    return [0.0, 0.0]
for step in range(steps):
    gw = gb = 0.0
    for x, y in zip(features, labels):
        error = 1.0 / (1.0 + math.exp(-(w * x + b))) - y
        gw += error * x
        gb += error
    w -= $schedule * (gw / n + $decay * w)
    b -= $schedule * gb / n * $bias
return [w, b]
""",
        schedule=(
            ("rate", "The step size is constant."),
            ("rate / (1 + step)", "The step size is rate / (1 + s) in step s, counted from 0."),
        ),
        decay=(
            ("0.0", "There is no penalty."),
            ("0.1", "The gradient of the weight has 0.1 times the weight added to it."),
        ),
        bias=(("1.0", "The bias is learned as the weight is."), ("0.0", "The bias stays 0.")),
        data='{"features": reals(n, -3, 3), "labels": [integer(0, 1) for _ in range(n)], "rate":'
        ' real(0.1, 0.9), "steps": 8}',
        edge='{"features": [2.0, -1.0], "labels": [1, 1], "rate": 0.5, "steps": 2}',
        sizes=(12, 40),
    ),
    masked_function(
        KIND,
        "mathematics",
        "interpolated(nodes, values, points)",
        """Values of an interpolant through given nodes (ascending) at the points. Beyond the nodes it goes
on as said below.
A single node gives its value everywhere.""",
        """
if len(nodes) == 1:
    return [values[0]] * len(points)
found = []
for x in points:
    if $outside:
        found.append(values[0] if x < nodes[0] else values[-1])
        continue
    k = max(i for i in range(len(nodes) - 1) if i == 0 or nodes[i] <= x)
    t = (x - nodes[k]) / (nodes[k + 1] - nodes[k])
    t = $ease
    found.append($blend)
return found
""",
        outside=(
            (
                "x < nodes[0] or x > nodes[-1]",
                "Beyond the nodes the value of the last node on that side is taken.",
            ),
            ("False", "Beyond the nodes the outermost interval's rule is extended."),
        ),
        ease=(
            ("t", "Within an interval the position runs evenly from 0 to 1."),
            ("t * t * (3.0 - 2.0 * t)", "Within an interval the position t is replaced by t^2 (3 - 2 t)."),
        ),
        blend=(
            ("values[k] + t * (values[k + 1] - values[k])", "Values are blended linearly."),
            (
                "values[k] ** (1.0 - t) * values[k + 1] ** t",
                "Values (all positive) are blended geometrically.",
            ),
        ),
        data='{"nodes": [float(k) for k in range(n)], "values": reals(n, 1, 9), "points": reals(n, -1, n)}',
        edge='{"nodes": [0.0, 2.0], "values": [1.0, 3.0], "points": [-1.0, 0.5, 2.5]}',
        sizes=(6, 30),
    ),
    masked_function(
        KIND,
        "information",
        "bayes_log_odds(counts, query)",
        """Log odds of class 1 against class 0 for a query by a naive Bayes model of word counts; counts is
two lists (class 0,
class 1) of the count of each word, query lists places of words. Words beyond the lists are ignored.""",
        """
totals = [sum(c) for c in counts]
odds = $prior
for word in $words:
    if word >= len(counts[0]):
        continue
    share = [(counts[c][word] + $smoothing) / (totals[c] + $smoothing * len(counts[c])) for c in (0, 1)]
    odds += math.log(share[1] / share[0])
return odds / $base
""",
        prior=(
            ("0.0", "Both classes are equally likely beforehand."),
            (
                "math.log((totals[1] + 1.0) / (totals[0] + 1.0))",
                "The prior odds are the totals plus one of class 1 over class 0.",
            ),
        ),
        words=(
            ("query", "A word that comes twice counts twice."),
            ("sorted(set(query))", "A word that comes twice counts once."),
        ),
        smoothing=(("1.0", "Every count gets 1 added (Laplace)."), ("0.5", "Every count gets 0.5 added.")),
        base=(("1.0", "The logarithm is natural."), ("math.log(2.0)", "The result is in bits.")),
        data='{"counts": [[integer(0, 20) for _ in range(n)] for _ in range(2)], "query":'
        " [integer(0, n + 1) for _ in range(9)]}",
        edge='{"counts": [[0, 3], [4, 0]], "query": [0, 0, 1, 5]}',
        sizes=(8, 30),
    ),
)
