"""Data processing: cleaning and transforming whose windows, gaps and edges are conventions."""

from __future__ import annotations

from assay.suites.sgi.dry.specification import Specification, masked_function

KIND = "Data Processing"

SPECIFICATIONS: tuple[Specification, ...] = (
    masked_function(
        KIND,
        "chemistry",
        "prominent_peaks(signal, prominence)",
        """Places of the peaks of a signal: values above both neighbours whose prominence (height above the
higher of the two
lowest points on either side before a higher value or the end) is large enough. Fewer than three values
give none.""",
        """
found = []
for k in range(1, len(signal) - 1):
    if not (signal[k] > signal[k - 1] and signal[k] $right signal[k + 1]):
        continue
    sides = []
    for way in (-1, 1):
        low = signal[k]
        for j in range(k, -1 if way < 0 else len(signal), way):
            if signal[j] > signal[k]:
                break
            low = min(low, signal[j])
        sides.append(low)
    if signal[k] - $base $enough prominence:
        found.append(k + $first)
return found
""",
        right=((">", "A plateau is no peak."), (">=", "The first value of a plateau can be a peak.")),
        base=(
            ("max(sides)", "The higher of the two low points counts."),
            ("min(sides)", "The lower of the two low points counts instead."),
        ),
        enough=(
            (">=", "A prominence equal to the given one is enough."),
            (">", "A prominence must be above the given one."),
        ),
        first=(("0", "Places count from 0."), ("1", "Places count from 1.")),
        data='{"signal": [integer(0, 15) for _ in range(n)], "prominence": 4}',
        edge='{"signal": [0, 4, 4, 1, 6, 2], "prominence": 4}',
        sizes=(20, 90),
    ),
    masked_function(
        KIND,
        "neuroscience energy",
        "moving_baseline(signal, window)",
        """A signal (calcium, or load) relative to a moving baseline: at each place the baseline is taken
from a window of that
many values. An empty signal stays empty.""",
        """
found = []
for k in range(len(signal)):
    start, end = $span
    part = sorted(signal[max(start, 0):end])
    low = $level
    found.append($output)
return found
""",
        span=(
            ("k - window + 1, k + 1", "The window ends at the place."),
            (
                "k - window // 2, k - window // 2 + window",
                "The window is centred (one more before than after where it is even).",
            ),
        ),
        level=(
            ("part[len(part) // 2]", "The baseline is the upper median."),
            ("part[0]", "The baseline is the smallest value."),
            (
                "part[len(part) // 5]",
                "The baseline is the value at the fifth of the sorted window, len // 5 from 0.",
            ),
        ),
        output=(
            (
                "(signal[k] - low) / low if low != 0 else 0.0",
                "The result is the change relative to the baseline, 0.0 where that is 0.",
            ),
            ("signal[k] - low", "The result is the difference."),
        ),
        data='{"signal": reals(n, 1, 9), "window": 5}',
        edge='{"signal": [0.0, 2.0, 0.0, 3.0], "window": 2}',
        sizes=(14, 60),
    ),
    masked_function(
        KIND,
        "earth",
        "gap_filled(series, longest)",
        """A series with gaps (null) filled by linear interpolation; gaps longer than `longest` stay null.
Gaps at either end are
treated as said below; a series without values stays as it is.""",
        """
known = [k for k, v in enumerate(series) if v is not None]
if not known:
    return [float("nan")] * len(series)
found = []
for k, v in enumerate(series):
    if v is not None:
        found.append(v)
        continue
    before = [j for j in known if j < k]
    after = [j for j in known if j > k]
    if not before or not after:
        found.append($ends)
        continue
    a, b = before[-1], after[0]
    if b - a - 1 $allowed longest:
        found.append($between)
    else:
        found.append(float("nan"))
return found
""",
        ends=(
            ('float("nan")', "Gaps at an end become nan."),
            ("series[(before or after)[-1 if before else 0]]", "Gaps at an end take the nearest value."),
        ),
        allowed=(
            ("<=", "A gap of exactly `longest` is filled; longer ones become nan."),
            ("<", "A gap of exactly `longest` is not filled: it and longer ones become nan."),
        ),
        between=(
            ("series[a] + (series[b] - series[a]) * (k - a) / (b - a)", "Interpolation is linear."),
            ("series[a]", "In place of interpolation the last value is carried forward."),
            (
                "(series[a] + series[b]) / 2",
                "In place of interpolation the mean of both neighbours is taken.",
            ),
        ),
        data='{"series": [None if integer(0, 2) == 0 else real(0, 9) for _ in range(n)], "longest": 2}',
        edge='{"series": [None, 2.0, None, None, 5.0, 1.0, None], "longest": 2}',
        sizes=(16, 80),
    ),
    masked_function(
        KIND,
        "astronomy",
        "clipped_mean(values, factor, rounds)",
        """Mean after repeated clipping: in each of `rounds` rounds values farther from the centre than
factor times the spread
are removed. A spread of 0 ends it; no values give nan.""",
        """
kept = list(values)
if not kept:
    return float("nan")
for _ in range(rounds):
    ordered = sorted(kept)
    mean = sum(kept) / len(kept)
    median = (ordered[(len(kept) - 1) // 2] + ordered[len(kept) // 2]) / 2
    centre = $centre
    spread = $spread
    if spread == 0:
        break
    kept = [v for v in kept if $inside]
return sum(kept) / len(kept)
""",
        centre=(("median", "The centre is the median."), ("mean", "The centre is the mean.")),
        spread=(
            (
                "math.sqrt(sum((v - centre) ** 2 for v in kept) / len(kept))",
                "The spread is the root mean square distance from the centre.",
            ),
            (
                "1.4826 * sorted(abs(v - centre) for v in kept)[len(kept) // 2]",
                "The spread is 1.4826 times the upper median of the distances from the centre.",
            ),
        ),
        inside=(
            ("abs(v - centre) <= factor * spread", "Both sides are clipped."),
            ("v - centre <= factor * spread", "Only high values are clipped."),
        ),
        data='{"values": reals(n, 0, 10) + reals(3, -40, 60), "factor": 1.5, "rounds": 3}',
        edge='{"values": [1.0, 2.0, 3.0, 30.0], "factor": 1.2, "rounds": 1}',
    ),
    masked_function(
        KIND,
        "life",
        "normalised_counts(counts)",
        """Counts (a list of samples, each a list over genes) normalised by their sample. A sample without
counts gives zeros.""",
        """
found = []
for sample in counts:
    ordered = sorted(c for c in sample $used)
    size = $size
    if not ordered or size == 0:
        found.append([0.0] * len(sample))
    else:
        found.append([$output for c in sample])
return found
""",
        used=(
            ("", "All genes count for the size."),
            ("if c > 0", "Only genes with counts count for the size."),
        ),
        size=(
            ("sum(ordered) / 1000.0", "The size of a sample is its sum over 1000."),
            (
                "ordered[(3 * (len(ordered) - 1)) // 4] if ordered else 0",
                "The size of a sample is the value at the place 3 (m - 1) // 4 of its m sorted counts.",
            ),
        ),
        output=(
            ("c / size", "The result is count over size."),
            ("math.log2(c / size + 1.0)", "The result is log2(count / size + 1)."),
            ("math.sqrt(c / size)", "The result is the square root of count over size."),
        ),
        data='{"counts": [[max(integer(-20, 90), 0) for _ in range(n)] for _ in range(3)]}',
        edge='{"counts": [[0, 0, 0], [5, 0, 2], [0, 9, 0]]}',
        sizes=(6, 24),
    ),
    masked_function(
        KIND,
        "information mathematics",
        "run_lengths(bits, least)",
        """Runs of equal values of a list as [value, length] pairs; runs shorter than `least` are treated
as said below. An empty
list gives none.""",
        """
runs = []
for bit in bits:
    if runs and runs[-1][0] == bit:
        runs[-1][1] += 1
    else:
        runs.append([bit, 1])
kept = []
for value, length in runs:
    if length $short least:
        $treated
    elif $merge and kept and kept[-1][0] == value:
        kept[-1][1] += length
    else:
        kept.append([value, length])
return [v for run in kept for v in run]
""",
        short=(("<", "Shorter means less than `least`."), ("<=", "Shorter means at most `least`.")),
        treated=(
            ("pass", "They are dropped."),
            ("kept.append([-1, length])", "They are kept with the value -1."),
        ),
        merge=(
            ("False", "Equal neighbours that this leaves stay apart."),
            ("True", "A run is merged into the run kept before it if that has its value."),
        ),
        data='{"bits": [integer(0, 1) for _ in range(n)], "least": 2}',
        edge='{"bits": [1, 1, 1, 0, 1, 1, 0, 0], "least": 2}',
        sizes=(24, 120),
    ),
    masked_function(
        KIND,
        "material",
        "background_free(signal, steps)",
        """A spectrum minus a smooth background that is found by repeatedly replacing each inner value by
the smaller of itself
and the mean of two others. Fewer than three values give zeros.""",
        """
n = len(signal)
base = list(signal)
for k in range(steps):
    reach = $reach
    old = list(base)
    for i in range(reach, n - reach):
        base[i] = min(old[i], $pair)
return [$output for v, b in zip(signal, base)]
""",
        pair=(
            ("(old[i - reach] + old[i + reach]) / 2", "The mean of the two is arithmetic."),
            ("math.sqrt(old[i - reach] * old[i + reach])", "The mean of the two is geometric."),
        ),
        reach=(
            ("k + 1", "In round k (from 1) the two others are k places away."),
            ("steps - k", "In round k (from 1) the two others are steps + 1 - k places away."),
            ("1", "The two others are the neighbours."),
        ),
        output=(
            ("v - b", "The difference is given as it is."),
            ("max(v - b, 0.0)", "Negative differences become 0."),
        ),
        data='{"signal": reals(n, 1, 20), "steps": 3}',
        edge='{"signal": [5.0, 1.0, 9.0, 2.0, 8.0], "steps": 1}',
        sizes=(14, 60),
    ),
    masked_function(
        KIND,
        "physics",
        "coincidences(first, second, window)",
        """Coincidences of two detectors: pairs of times closer than the window, each time used once, found
in the order of the
first list (both ascend). The result is a list of time differences.""",
        """
used = set()
found = []
for a in first:
    best = None
    for j, b in enumerate(second):
        if j not in used and abs(b - $offset - a) $near window:
            if best is None or $better:
                best = j
    if best is not None:
        used.add(best)
        found.append($difference)
return found
""",
        offset=(
            ("0.0", "There is no delay between the detectors."),
            (
                "0.3",
                "The second detector is late by 0.3, which is subtracted from its times before they"
                " are compared.",
            ),
        ),
        near=(
            ("<=", "A distance equal to the window counts."),
            ("<", "A distance equal to the window does not count."),
        ),
        better=(
            (
                "abs(b - a) < abs(second[best] - a)",
                "Of several the one nearest to the first time as recorded is taken.",
            ),
            ("False", "Of several the earliest is taken."),
        ),
        difference=(
            ("second[best] - a", "A difference is second minus first, as recorded."),
            ("a - second[best]", "A difference is first minus second, as recorded."),
        ),
        data='{"first": sorted(reals(n, 0, n)), "second": sorted(reals(n, 0, n)), "window": 0.8}',
        edge='{"first": [1.0, 2.0, 4.0], "second": [0.5, 1.25, 2.5, 4.25], "window": 0.5}',
        sizes=(14, 50),
    ),
)
