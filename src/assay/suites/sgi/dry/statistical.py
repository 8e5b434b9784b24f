"""Statistical analysis: tests and estimators whose denominators, ties and gaps are conventions."""

from __future__ import annotations

from assay.suites.sgi.dry.specification import Function, Specification, masked_function

KIND = "Statistical Analysis"

MOMENTS = Function(
    "moments",
    "values",
    "Mean of a list and the sum of squared deviations from it, as a tuple; (nan, nan) for an empty list.",
    """
if not values:
    return float("nan"), float("nan")
mean = sum(values) / len(values)
return mean, sum((v - mean) ** 2 for v in values)
""".strip("\n"),
)

SPECIFICATIONS: tuple[Specification, ...] = (
    masked_function(
        KIND,
        "life",
        "unequal_variance_test(first, second)",
        """Welch's statistic of two samples and its degrees of freedom (Welch-Satterthwaite, with n - 1 in its
denominators), as a list. Samples of fewer than two values give [nan, nan].""",
        """
if len(first) < 2 or len(second) < 2:
    return [float("nan"), float("nan")]
(a, sa), (b, sb) = moments(first), moments(second)
va = sa / (len(first) - $ddof) / len(first)
vb = sb / (len(second) - $ddof) / len(second)
freedom = (va + vb) ** 2 / (va ** 2 / (len(first) - 1) + vb ** 2 / (len(second) - 1))
return [$sign / math.sqrt(va + vb), $freedom]
""",
        helper=MOMENTS,
        ddof=(("1", "Variances divide by n - 1."), ("0", "Variances divide by n.")),
        sign=(
            ("(a - b)", "The statistic is positive where the first mean is larger."),
            ("(b - a)", "The statistic is positive where the second mean is larger."),
            ("abs(a - b)", "The statistic has no sign."),
        ),
        freedom=(
            ("freedom", "Degrees of freedom are not rounded."),
            ("math.floor(freedom)", "Degrees of freedom are rounded down."),
        ),
        data='{"first": reals(n, 0, 9), "second": reals(n + 5, 1, 14)}',
        edge='{"first": [2.0], "second": [1.0, 4.0]}',
        hard='{"first": reals(n, 0, 4), "second": reals(n - 3, 3, 9)}',
    ),
    masked_function(
        KIND,
        "life chemistry",
        "survival_at(times, events, at)",
        """Kaplan-Meier estimate of the probability to survive (or of a catalyst to stay active) until
`at`. times and
events are lists; an event is 1, a censored observation 0. Without observations the result is 1.0.""",
        """
if not times:
    return 1.0
survival = 1.0
for t in sorted(set(times)):
    if t $until at:
        deaths = sum(1 for u, e in zip(times, events) if u == t and e == 1)
        risk = sum(1 for u, e in zip(times, events) if u > t or u == t and $tied)
        if risk > 0:
            survival *= 1.0 - deaths / risk
return $output
""",
        until=(
            ("<=", "Events at exactly `at` count."),
            ("<", "Events at exactly `at` do not count."),
        ),
        tied=(
            ("True", "Who is censored at the time of an event is still at risk."),
            ("e == 1", "Who is censored at the time of an event is no longer at risk."),
        ),
        output=(
            ("survival", "The result is the probability of survival."),
            ("1.0 - survival", "The result is the probability of an event, one minus survival."),
        ),
        data='{"times": [integer(1, 9) for _ in range(n)], "events": [integer(0, 1) for _ in'
        ' range(n)], "at": 5}',
        edge='{"times": [3, 3, 5], "events": [1, 0, 1], "at": 3}',
        hard='{"times": [4] * n + [6, 7], "events": [integer(0, 1) for _ in range(n)] + [1, 0], "at": 6}',
    ),
    masked_function(
        KIND,
        "astronomy physics",
        "pooled_measurement(values, errors)",
        """Weighted mean of measurements with standard errors, weights 1 / error^2, and its standard error,
as a list.
Measurements whose error is not positive are left out; if none is left the result is [nan, nan].""",
        """
pairs = [(v, e) for v, e in zip(values, errors) if e > 0]
if not pairs:
    return [float("nan"), float("nan")]
weights = [1.0 / ($error) ** 2 for v, e in pairs]
total = sum(weights)
mean = sum(w * v for w, (v, e) in zip(weights, pairs)) / total
chi = sum(w * (v - mean) ** 2 for w, (v, _) in zip(weights, pairs))
scatter = math.sqrt($inflation)
return [mean, scatter / math.sqrt(total) * $level]
""",
        error=(
            ("e", "Errors are absolute."),
            ("e * abs(v)", "Errors are relative to their value."),
            ("math.hypot(e, 0.5)", "A systematic error of 0.5 is added to each in quadrature."),
        ),
        inflation=(
            ("1.0", "The standard error is not inflated."),
            (
                "max(1.0, chi / max(len(pairs) - 1, 1))",
                "The standard error grows by the root of chi squared per degree of freedom (n - 1, but at "
                "least 1) where that is above 1.",
            ),
        ),
        level=(("1.0", "One standard error is given."), ("1.96", "1.96 standard errors are given.")),
        data='{"values": reals(n, 3, 9), "errors": reals(n, 0.1, 0.8)}',
        edge='{"values": [4.0, 5.0, 6.0], "errors": [0.0, -1.0, 0.2]}',
        sizes=(6, 40),
    ),
    masked_function(
        KIND,
        "earth",
        "rarefied_diversity(counts, depth)",
        """Expected number of types in a sample of `depth` individuals drawn without replacement from a
community (or of
minerals among grains), by Hurlbert's formula, sum over types of 1 - C(N - n, depth) / C(N, depth), then
changed as
said below. If the community has fewer individuals than `depth` the result is nan.""",
        """
kept = [c for c in counts if c $least]
total = sum(kept)
if total < depth:
    return float("nan")
expected = sum(1.0 - math.comb(total - c, depth) / math.comb(total, depth) for c in kept)
return $output
""",
        least=(
            ("> 0", "Types without individuals are left out."),
            ("> 1", "Types with fewer than two individuals are left out."),
        ),
        output=(
            ("expected", "The result is the expected number."),
            ("expected / max(len(kept), 1)", "The result is divided by the number of types that are kept."),
            ("math.log(max(expected, 1e-12))", "The result is the natural logarithm of the expected number."),
        ),
        data='{"counts": [integer(0, 25) for _ in range(n)] + [1, 1], "depth": 10}',
        edge='{"counts": [1, 2, 0], "depth": 9}',
        hard='{"counts": [1] * n + [30, 4], "depth": 5}',
        sizes=(8, 30),
    ),
    masked_function(
        KIND,
        "energy",
        "weighted_total(values, inclusion)",
        """Estimate of a population total (of the loads of a grid, say) from a sample with unequal inclusion
probabilities, sum of value / probability. Units whose probability is not positive are left out; an empty
sample
gives 0.0.""",
        """
kept = [(v, p) for v, p in zip(values, inclusion) if p > 0]
if not kept:
    return 0.0
weights = [1.0 / max(p, $floor) for _, p in kept]
total = sum(w * v for w, (v, _) in zip(weights, kept))
return $output
""",
        floor=(
            ("0.0", "Probabilities are taken as they are."),
            ("0.2", "Probabilities below 0.2 are taken as 0.2 (trimmed weights)."),
        ),
        output=(
            ("total", "The result is the total (Horvitz-Thompson)."),
            ("total / sum(weights)", "The result is the mean by weights that sum to one (Hajek)."),
            ("total / len(kept)", "The result is the total divided by the size of the sample."),
        ),
        data='{"values": reals(n, 2, 30), "inclusion": reals(n, 0.05, 0.9)}',
        edge='{"values": [4.0, 7.0], "inclusion": [0.0, -0.3]}',
        hard='{"values": reals(n, -9, 9), "inclusion": reals(n, 0.01, 0.3)}',
    ),
    masked_function(
        KIND,
        "information mathematics",
        "rank_agreement(first, second)",
        """Kendall's rank correlation of two lists by counting pairs. If no pair can be compared the result
is 0.0.""",
        """
agree = against = tied = 0
for i in range(len(first)):
    for j in range(i):
        product = (first[i] - first[j]) * (second[i] - second[j])
        if product > 0:
            agree += 1
        elif product < 0:
            against += 1
        else:
            tied += 1
pairs = $denominator
if pairs == 0:
    return 0.0
return $output
""",
        denominator=(
            ("agree + against + tied", "All pairs are in the denominator (tau a)."),
            ("agree + against", "Tied pairs are not in the denominator (Goodman and Kruskal's gamma)."),
        ),
        output=(
            ("(agree - against) / pairs", "The result runs from -1 to 1."),
            ("(agree + 0.5 * tied) / pairs", "The result is the share of agreeing pairs, ties for a half."),
            ("agree / pairs", "The result is the share of agreeing pairs, ties for nothing."),
        ),
        data='{"first": [integer(0, 8) for _ in range(n)], "second": [integer(0, 8) for _ in range(n)]}',
        edge='{"first": [2], "second": [5]}',
        hard='{"first": [integer(0, 2) for _ in range(n)], "second": [integer(0, 2) for _ in range(n)]}',
        sizes=(10, 40),
    ),
    masked_function(
        KIND,
        "neuroscience",
        "spike_variability(spikes, width, stop)",
        """Fano factor of the spike counts of a train: variance over mean of the counts in consecutive
windows of
`width` seconds from 0 to `stop`, windows that do not fit left out.
A mean of 0 or fewer than two windows give 0.0.""",
        """
windows = int(stop / width + 1e-9)
if windows < 2:
    return 0.0
counts = [0] * windows
for t in spikes:
    k = $place
    if 0 <= k < windows:
        counts[k] += 1
mean = sum(counts) / windows
if mean == 0:
    return 0.0
variance = sum((c - mean) ** 2 for c in counts) / (windows - $ddof)
return $output
""",
        place=(
            ("math.floor(t / width)", "A window holds its start and not its end."),
            ("math.ceil(t / width) - 1", "A window holds its end and not its start."),
        ),
        ddof=(("1", "The variance divides by n - 1."), ("0", "The variance divides by n.")),
        output=(
            ("variance / mean", "The result is variance over mean."),
            ("math.sqrt(variance) / mean", "The result is standard deviation over mean."),
        ),
        data='{"spikes": sorted(reals(n, 0, 9.9)), "width": 0.5, "stop": 10.2}',
        edge='{"spikes": [0.5, 1.0, 1.5, 1.5], "width": 0.5, "stop": 2.0}',
        hard='{"spikes": [0.5 * k for k in range(n)], "width": 0.5, "stop": 0.5 * integer(7, 9)}',
        sizes=(20, 90),
    ),
    masked_function(
        KIND,
        "material",
        "weibull_modulus(strengths)",
        """Shape of a Weibull distribution of strengths from a line through ln(-ln(1 - F)) against
ln(strength), where F
of the i-th smallest strength (i from 1) is a plotting position. Fewer than two different strengths give
nan.""",
        """
ordered = sorted(s for s in strengths if s > 0)
if len(set(ordered)) < 2:
    return float("nan")
n = len(ordered)
x = [math.log(s) for s in ordered]
y = [math.log(-math.log(1.0 - $position)) for i in range(1, n + 1)]
mx, my = sum(x) / n, sum(y) / n
xy = sum((a - mx) * (b - my) for a, b in zip(x, y))
return $slope
""",
        position=(
            ("(i - 0.5) / n", "F = (i - 0.5) / n."),
            ("i / (n + 1)", "F = i / (n + 1)."),
            ("(i - 0.3) / (n + 0.4)", "F = (i - 0.3) / (n + 0.4)."),
        ),
        slope=(
            ("xy / sum((a - mx) ** 2 for a in x)", "Least squares in the direction of ln(-ln(1 - F))."),
            (
                "sum((b - my) ** 2 for b in y) / xy",
                "Least squares in the direction of ln(strength): the inverse of that slope.",
            ),
        ),
        data='{"strengths": reals(n, 120, 480)}',
        edge='{"strengths": [200.0, 200.0, -5.0]}',
        hard='{"strengths": reals(n, 120, 480) + [0.0, -30.0]}',
    ),
)
