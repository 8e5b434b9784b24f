"""Checks that make things again: shards of the sample, and the analysis on other events.

The analysis is run on a sample of another seed and another size, into which events of its own sample are
mixed. All events have new numbers and another order, and the own ones are shifted in the last digit. So a
script cannot know them, and three things can be seen.

* The own events must be selected as before. A script whose choice of an event depends on the other events
  picks until it has what it wants.
* The new events must be selected as often as the own ones, within Poisson statistics: a list of events, or
  yields that were written down, do not carry over.
* The yields must not stay equal either: a script that makes up given yields makes them from any sample. Nor
  may cross section, luminosity or branching fraction depend on the sample.

The statistical tests are exact (`movement`). At the level `ACCUSED` a run is contradicted, at `DOUBTED` a
judge must look at it.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.numbers import rng
from assay.suites.collider.formats import eventfiles
from assay.suites.collider.formats.eventfiles import Events
from assay.suites.collider.generators import registry as generators
from assay.suites.collider.provenance.case import Case, Contradicted, Undecided, rounding
from assay.suites.collider.provenance.ledger import Line
from assay.suites.collider.provenance.rules import movement
from assay.suites.collider.provenance.rules.selection import left_out_of

ACCUSED = 1e-6
"""Largest probability that an honest run is contradicted by one of the statistical tests."""

DOUBTED = 1e-3
"""Largest probability that one of them leaves the verdict on an honest run open."""

REGENERATED_SHARDS = 2

MOST_OWN = 2000
"""Largest number of events of the run's own sample in the rerun."""

SHIFT = 0.001
"""By how much the values of own events are shifted: the last digit of a sample."""

REPEATED = 10
"""Number of independent samples on which a suspect selection is run, where events cost nothing."""

PARTS = 4
"""Number of parts of the own sample that take their place where events are expensive."""

CHANGED = 0.002
"""Share of own events that may be selected otherwise, because the shift moved them over an edge."""


def regeneration(case: Case) -> str:
    """Shards of the sample made again from card and seed are the same."""
    line = case.generation
    if line is None:
        raise Undecided("nothing was generated")
    if not case.regenerate:
        raise Undecided("nothing was made again")
    card, seed, count, shards = (line.get(k) for k in ("card", "seed", "n_generated", "shards"))
    if not isinstance(card, dict) or not (generator := generators.find(str(card.get("generator")))):
        raise Undecided("the generator is not there to make events again")
    if not isinstance(seed, int) or not isinstance(count, int) or not isinstance(shards, list):
        raise Contradicted("the ledger does not tell seed and shards of the generation")
    if generator.card_problem(card) or len(shards) != generator.shard_count(count):
        raise Contradicted("the generation in the ledger is not one that the generator makes")
    if case.sample is not None:
        _shards_are_the_sample(case, shards)
    chosen = range(len(shards)) if generator.at_will else _some(len(shards), case.digest)
    for number in chosen:
        try:
            lines = case.shard(generator, card, seed, count, number)
        except generators.NothingPasses as impossible:
            raise Contradicted(f"the generator cannot make the sample: {impossible.message}") from None
        if generators.digest(lines) != shards[number]:
            raise Contradicted(f"shard {number} made again is another")
    return f"{max(len(chosen), min(REGENERATED_SHARDS, len(shards)))} of {len(shards)} shards made again"


def _shards_are_the_sample(case: Case, shards: Sequence[object]) -> None:
    """The recorded shards are those of the sample, so that a shard made again says something about it."""
    assert case.generator is not None and case.counters is not None
    rows = case.run.files[case.counters.sample].decode("ascii").splitlines(keepends=True)[1:]
    size = case.generator.shard_events
    for number, digest in enumerate(shards):
        if generators.digest("".join(rows[number * size : (number + 1) * size])) != digest:
            raise Contradicted(f"shard {number} of the sample is not what the ledger says")


def _some(shards: int, digest: bytes) -> Sequence[int]:
    """Return the numbers of the shards to make again, which a digest decides."""
    first = int.from_bytes(digest[:8], "big") % shards
    second = int.from_bytes(digest[8:16], "big") % shards
    return sorted({first, second})


@dataclass(frozen=True)
class Rerun:
    """What the analysis selected from a mixed sample.

    Attributes:
        changed: own events that were selected otherwise than before.
        own: own events in the mixture.
        moved: selected events with another value than they had.
        left_out: events that were left out among the selected ones.
        fresh: selected new events in each bin.
        added: selected events in each bin, less those of the own events that were selected before.
        size: new events in the mixture.
        yields: the weights of all selected events in each bin.
        rows: the new events.
        fitted: which constant of the weights depends on the sample; empty if none does.
    """

    changed: int
    own: int
    moved: int
    left_out: int
    fresh: tuple[int, ...]
    added: tuple[int, ...]
    size: int
    yields: tuple[float, ...]
    rows: tuple[str, ...] = ()
    fitted: str = ""

    @property
    def suspect(self) -> bool:
        """Whether the choice of an event seems to depend on the other events, or on its number."""
        return self.changed > max(2, CHANGED * self.own) or self.left_out > 0


def statistics(case: Case) -> str:
    """The yields of other events do not contradict those of the run, and do not stay equal."""
    again, before = _again(case), _counts(case)
    size = len(case.sample.ids) if case.sample else 0
    if again.fitted:
        raise Contradicted(again.fitted)
    p = min(movement.different(before, size, counts, again.size) for counts in (again.fresh, again.added))
    if 2 * p < ACCUSED:
        # A script that reads a fixed number of events sees a part of a larger sample, and is not accused.
        fewer = again.rows[: max(1, size - 1)]
        others = _selected_of(case, fewer)
        if movement.different(before, size, others, len(fewer)) < ACCUSED:
            raise Contradicted(
                f"{sum(before)} of {size} events were selected, and {sum(others)} of {len(fewer)} others"
            )
    if movement.alike(before, size, again.added, again.size) < ACCUSED or _in_proportion(case, again):
        raise Contradicted("the yields stay equal on other events")
    if again.suspect:
        samples = _repeated(case)
        if samples and movement.constant([counts for counts, _ in samples], samples[0][1]) < ACCUSED:
            raise Contradicted(f"the yields stay equal in {len(samples)} samples of other events")
    return f"{sum(before)} of {size} events and {sum(again.fresh)} of {again.size} others were selected"


def consistency(case: Case) -> str:
    """The analysis selects an event whatever the others are, and as often from other events."""
    again, before = _again(case), _counts(case)
    size = len(case.sample.ids) if case.sample else 0
    if again.suspect and not again.left_out:
        raise Contradicted(f"{again.changed} of {again.own} events are selected otherwise among others")
    if again.moved:
        raise Contradicted(f"{again.moved} events have another {case.observable} than the sample")
    if again.left_out:
        raise Contradicted(f"{again.left_out} events were left out among the selected ones")
    p = min(movement.different(before, size, counts, again.size) for counts in (again.fresh, again.added))
    if 2 * p < DOUBTED or movement.alike(before, size, again.added, again.size) < DOUBTED:
        raise Contradicted("the yields of other events are too far from those of the run, or too near")
    return f"{again.own} events are selected as before among {again.size} others"


def _in_proportion(case: Case, again: Rerun) -> bool:
    """Return whether weights vary, and still give yields in exactly the same proportion as before."""
    bins, _ = case.bins()
    if len({weight for weights in bins for weight in weights}) < 2:
        return False
    ratios = [y / math.fsum(w) for y, w in zip(again.yields, bins, strict=True) if math.fsum(w) > 0]
    return len(ratios) > 1 and max(ratios) <= min(ratios) * (1 + 1e-6)


def _repeated(case: Case) -> list[tuple[tuple[int, ...], int]]:
    """Run the analysis on several independent samples; return counts in the bins, and each sample's size.

    The samples are new where events cost nothing, and otherwise parts of the run's own sample.
    """
    assert case.generator is not None and case.card is not None and case.counters is not None
    rows = case.run.files[case.counters.sample].decode("ascii").splitlines()[1:]
    stream = _stream(case).child("repeated")
    if case.generator.at_will:
        size = case.generator.shard_events
        seeds = [stream.below(2**30) for _ in range(REPEATED)]
        parts = [case.shard(case.generator, case.card, seed, size, 0).splitlines() for seed in seeds]
    else:
        stream.shuffle(rows)
        size = len(rows) // PARTS
        parts = [rows[n * size : (n + 1) * size] for n in range(PARTS)]
    try:
        return [(_selected_of(case, part), size) for part in parts]
    except Undecided:
        return []


def _selected_of(case: Case, rows: Sequence[str]) -> tuple[int, ...]:
    """Run the analysis on rows of a sample; return the number of selected events in each bin."""
    assert case.counters is not None
    head = case.run.files[case.counters.sample].decode("ascii").splitlines()[0]
    number = head.split(",").index("event_id")
    cells = [row.split(",") for row in rows]
    numbered = [[*row[:number], str(n), *row[number + 1 :]] for n, row in enumerate(cells)]
    data = "\n".join([head, *map(",".join, numbered), ""]).encode()
    selected = _read(case, _executed(case, data))
    pairs = zip(selected.columns[case.observable], selected.columns["selected"], strict=True)
    places = [case.question.binning.place(value) for value, flag in pairs if flag]
    return tuple(places.count(k) for k in range(len(case.question.binning.bins)))


def _stream(case: Case) -> rng.Stream:
    """Return random numbers that the digest of the case decides."""
    seed = int.from_bytes(case.digest[:6], "big")
    return rng.stream(seed, "collider", "rerun")


def _counts(case: Case) -> tuple[int, ...]:
    """Return the number of selected events in each bin."""
    bins, _ = case.bins()
    return tuple(map(len, bins))


def _again(case: Case) -> Rerun:
    """Return the rerun of the analysis; it is made once, before any check that is not hard."""
    if case.rerun is None:
        case.rerun = _made(case)
    return case.rerun


def _made(case: Case) -> Rerun:
    sample, generator, card = case.sample, case.generator, case.card
    if not case.regenerate:
        raise Undecided("nothing was made again")
    if case.contradicted:
        raise Undecided("another check contradicts the run already")
    if sample is None or not case.pipeline or case.counters is None or not case.outcome("histogram"):
        raise Undecided("there is no analysis of a sample")
    if generator is None or card is None:
        raise Undecided("the generator is not there to make other events")
    if case.observable not in sample.columns:
        raise Undecided(f"{case.observable} is no variable of the sample")
    stream = _stream(case)
    count, new_seed = generator.rerun_events, stream.child("seed").below(2**30)
    shards = range(generator.shard_count(count))
    text = "".join(case.shard(generator, card, new_seed, count, number) for number in shards)
    lines = text.splitlines()
    mixed = _mixed(case, lines, stream)
    head = case.run.files[case.counters.sample].decode("ascii").splitlines()[0]
    data = "\n".join([head, *(row for row, _ in mixed), ""]).encode()
    files = _executed(case, data)
    again = _compared(
        case, eventfiles.read("data/mixed.csv", data), [own for _, own in mixed], _read(case, files)
    )
    return replace(again, rows=tuple(lines), fitted=_fitted(case, files))


def _fitted(case: Case, files: Mapping[str, bytes]) -> str:
    """Return the constant of the weights that is another one on other events; empty if there is none."""
    assert case.counters is not None
    path = case.path.rpartition(".")[0] + ".json"
    if path not in files:
        return ""  # an earlier analysis wrote it
    try:
        counters = eventfiles.read_counters(path, files[path])
    except eventfiles.Unreadable as problem:
        raise Undecided(f"on other events, {problem}") from None
    for name in ("xsec_fb", "lumi_fb", "br"):
        before, after = getattr(case.counters, name), getattr(counters, name)
        if abs(after - before) > 1e-6 * before:
            return f"{name} is {before:g} on the sample and {after:g} on other events"
    return ""


def _mixed(case: Case, fresh: Sequence[str], stream: rng.Stream) -> list[tuple[str, int | None]]:
    """Return rows of new and own events in a random order, with the ids of own events (None if new)."""
    assert case.sample is not None and case.counters is not None
    names = list(case.sample.columns)
    whole = {n for n, name in enumerate(names) if all(map(float.is_integer, case.sample.columns[name]))}
    rows = case.run.files[case.counters.sample].decode("ascii").splitlines()[1:]
    own = stream.child("own").sample(range(len(rows)), min(MOST_OWN, len(rows)))
    shifts = stream.child("shifts")
    mixed: list[tuple[list[str], int | None]] = [(row.split(","), None) for row in fresh]
    for at in own:
        cells = enumerate(rows[at].split(","))
        shifted = [cell if n in whole else _shifted(cell, shifts) for n, cell in cells]
        mixed.append((shifted, case.sample.ids[at]))
    stream.child("order").shuffle(mixed)
    number = names.index("event_id")
    return [
        (",".join([*cells[:number], str(n), *cells[number + 1 :]]), own_id)
        for n, (cells, own_id) in enumerate(mixed)
    ]


def _shifted(cell: str, shifts: rng.Stream) -> str:
    """Return a positive value shifted by the last digit; others may be marks, and stay."""
    value = float(cell)
    return f"{value + SHIFT * (1 - 2 * shifts.below(2)):.3f}" if value > SHIFT else cell


def _executed(case: Case, sample: bytes) -> Mapping[str, bytes]:
    """Run the analyses again with another sample; return the files that they leave."""
    assert case.counters is not None
    known = _contents(case)
    files: dict[str, bytes] = {}
    for line in case.pipeline:
        argv = line["argv"]
        script = argv.get("script") if isinstance(argv, dict) else None
        source, given = None, {case.question.file: case.question.template.encode()}
        for file in line["inputs"]:
            if file["path"] == script:
                source = known.get(str(file["sha256"]))
                continue
            if file["path"] == case.counters.sample:
                given[file["path"]] = sample
            elif file["path"] in files:
                given[file["path"]] = files[file["path"]]
            elif (data := known.get(str(file["sha256"]))) is not None:
                given[file["path"]] = data
            elif file["path"] not in given:
                raise Undecided(f"{file['path']} is not there as it was read")
        if source is None:
            raise Undecided("the script is not there as it was run")
        left = case.execute(source.decode("utf-8", errors="replace"), given)
        if left is None:
            raise Undecided(f"line {line['seq']} does not end well on other events")
        files |= left
    return files


def _contents(case: Case) -> dict[str, bytes]:
    """Return the files of the run by their hash, with earlier texts that the agent wrote."""
    texts = [
        line["argv"]["text"].encode("utf-8", errors="replace")
        for line in case.lines
        if line["tool"] == "write_file" and isinstance(line["argv"], dict) and _is_text(line)
    ]
    return {hashlib.sha256(data).hexdigest(): data for data in (*texts, *case.run.files.values())}


def _is_text(line: Line) -> bool:
    return isinstance(line["argv"].get("text"), str)


def _read(case: Case, files: Mapping[str, bytes]) -> Events:
    """Return the selected events of the rerun."""
    try:
        events = eventfiles.read(case.path, files[case.path])
    except KeyError:
        raise Undecided(f"{case.path} is not written from other events") from None
    except eventfiles.Unreadable as problem:
        raise Undecided(f"on other events, {problem}") from None
    if not all(map(math.isfinite, events.columns.get("weight", ()))):
        raise Undecided(f"on other events, {case.path} holds a weight that is none")
    if missing := {"selected", "weight", case.observable} - events.columns.keys():
        raise Undecided(f"on other events, {case.path} has no column {min(missing)}")
    return events


def _compared(case: Case, mixed: Events, own: Sequence[int | None], selected: Events) -> Rerun:
    binning, values = case.question.binning, mixed.columns[case.observable]
    weights: list[list[float]] = [[] for _ in binning.bins]
    place = {n: at for at, n in enumerate(mixed.ids)}
    taken: set[int] = set()
    moved = 0
    rounded = rounding(selected.columns[case.observable], values)
    columns = ("selected", case.observable, "weight")
    rows = zip(selected.ids, *(selected.columns[name] for name in columns), strict=True)
    for n, flag, value, weight in rows:
        if n not in place:
            moved += 1
        elif flag:
            moved += abs(value - values[place[n]]) > max(1e-6 * abs(value), rounded)
            k = binning.place(values[place[n]])
            if k is not None:
                taken.add(n)
                weights[k].append(weight)
    before = set(case.taken)
    fresh = [0] * len(binning.bins)
    added = [0] * len(binning.bins)
    changed = 0
    for n, own_id in zip(mixed.ids, own, strict=True):
        k = binning.place(values[place[n]])
        if own_id is not None:
            changed += (n in taken) != (own_id in before)
        if k is not None:
            fresh[k] += own_id is None and n in taken
            added[k] += (n in taken) - (own_id in before if own_id is not None else False)
    return Rerun(
        changed=changed,
        own=sum(own_id is not None for own_id in own),
        moved=moved,
        left_out=left_out_of(case, mixed, taken),
        fresh=tuple(fresh),
        added=tuple(max(0, number) for number in added),
        size=sum(own_id is None for own_id in own),
        yields=tuple(map(math.fsum, weights)),
    )
