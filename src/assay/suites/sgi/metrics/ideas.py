"""Idea generation: effectiveness, novelty, detailedness and feasibility, each 0 to 10 in here.

Every function says its profile; the embedder is an argument, and rows with different ones do not compare.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from assay.errors import TableError
from assay.suites.sgi.metrics.embedding import Embedder, cosine, embed, mean, words
from assay.suites.sgi.text.contracts import json_object, tagged
from assay.suites.sgi.text.quantities import NUMBER, close, folded, quantity

KEYS = (
    "Idea",
    "ImplementationSteps",
    "ImplementationOrder",
    "EvaluationMetrics",
    "Dataset",
    "ExpectedOutcome",
)
DIMENSIONS = ("effectiveness", "novelty", "detailedness", "feasibility")

Edge = tuple[str, str]


def parse(reply: str, released: bool = False) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """The JSON idea in a reply, and issues; steps given as a list are numbered from 1, as released not."""
    found = json_object(tagged(reply).text, KEYS) or json_object(reply, KEYS)
    if found is None:
        return None, ("no_json",)
    if isinstance(found.get("ImplementationSteps"), list) and not released:
        steps = {str(k): str(step) for k, step in enumerate(found["ImplementationSteps"], 1)}
        return {**found, "ImplementationSteps": steps}, ("list_steps",)
    return found, ()


def literal(cell: Any) -> Any:
    """A released cell that holds a Python literal or JSON, never evaluated; `TableError` for neither."""
    if not isinstance(cell, str):
        return cell
    for read in (ast.literal_eval, json.loads):
        try:
            return read(cell)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
    raise TableError(f"a cell is neither a literal nor JSON: {cell[:60]!r}", "mend that cell of the data")


def clip(value: float) -> float:
    """Within 0 and 10."""
    return min(max(value, 0.0), 10.0)


# ------------------------------------------------------------ effectiveness

_SUFFIXES = ("ations", "ation", "ings", "ing", "ies", "ed", "es", "s")


def stem(word: str) -> str:
    """Without the first suffix of a short list that leaves four letters."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            return word[: -len(suffix)]
    return word


NEAR = 0.60
"""The cosine of a sentence and a keyword from which on the sentence says it in other words."""


def effectiveness(
    idea: str, keywords: Sequence[Sequence[str]], semantic: Embedder | None = None, *, guarded: bool = True
) -> tuple[float, str]:
    """10 x the share of keywords of which a form occurs, and `stuffed` where they fill the idea.

    With a `semantic` embedder a keyword also counts where a sentence is near it. Where it is `guarded`,
    what is stuffed counts half; the paper's own rule has no such guard.
    """
    tokens = [stem(word) for word in words(idea)]
    said = [] if semantic is None else [semantic(sentence) for sentence in sentences(idea)]
    covered: set[int] = set()
    hits = 0
    for forms in keywords:
        places = [place for form in forms for place in _occurrences(tokens, [stem(w) for w in words(form)])]
        hits += bool(places) or (
            semantic is not None
            and any(cosine(semantic(form), sentence) >= NEAR for form in forms for sentence in said)
        )
        covered.update(places)
    value = 10.0 * hits / len(keywords) if keywords else 0.0
    if tokens and len(covered) > 0.3 * len(tokens):
        return value / 2 if guarded else value, "stuffed"
    return value, ""


def _occurrences(tokens: Sequence[str], wanted: Sequence[str]) -> list[int]:
    n = len(wanted)
    if not n:
        return []
    starts = [k for k in range(len(tokens) - n + 1) if list(tokens[k : k + n]) == list(wanted)]
    return [k + j for k in starts for j in range(n)]


def released_effectiveness(idea: str, keywords: Sequence[str], embedder: Embedder = embed) -> float:
    """10 x the cosine of the joined keywords and the idea."""
    return 10.0 * min(max(cosine(embedder(", ".join(keywords)), embedder(idea)), 0.0), 1.0)


# ------------------------------------------------------------ novelty


def dissimilarity(cosines: Sequence[float]) -> float:
    """10 x (1 - mean cosine), within 0 and 10; 0 without any."""
    return clip(10.0 * (1.0 - mean(cosines))) if cosines else 0.0


def cosines(idea: str, texts: Sequence[str], embedder: Embedder = embed) -> list[float]:
    """How similar an idea is to each text."""
    own = embedder(idea)
    return [cosine(own, embedder(text)) for text in texts]


def novelty(idea: str, known: Sequence[float], hidden: Sequence[float]) -> float:
    """As released, from the cosines with known and with hidden work; less for one below 20 words."""
    return released_novelty(known, hidden) * min(1.0, len(words(idea)) / 20)


def released_novelty(known: Sequence[float], hidden: Sequence[float]) -> float:
    """The mean of the dissimilarities to known work and to hidden work, from the cosines with both."""
    return 0.5 * (dissimilarity(known) + dissimilarity(hidden))


def nearest_novelty(idea: str, similar: Sequence[float]) -> float:
    """10 x (1 - the largest cosine); 0 without an idea or anything to compare it with."""
    return clip(10.0 * (1.0 - max(similar, default=1.0))) if words(idea) else 0.0


# ------------------------------------------------------------ detailedness


def redundancy(similarity: float) -> float:
    """The penalty for sentences that say the same: (mean cosine - 0.2) x 10."""
    return clip((similarity - 0.2) * 10.0)


def sentences(idea: str) -> list[str]:
    """The sentences of more than ten characters, the first 200 of them."""
    return [s.strip() for s in re.split("[.!?。！？]", idea) if len(s.strip()) > 10][:200]


def sentence_similarity(idea: str, embedder: Embedder = embed) -> float | None:
    """Mean cosine of all pairs of sentences of more than ten characters; null for fewer than two."""
    vectors = [embedder(sentence) for sentence in sentences(idea)]
    pairs = [cosine(a, b) for i, a in enumerate(vectors) for b in vectors[:i]]
    return mean(pairs) if pairs else None


def length_penalty(length: int, released: bool) -> float:
    """Beyond 300 to 700 characters one point for each hundred; no idea costs 10, as released nothing."""
    if length == 0:
        return 0.0 if released else 10.0
    if length > 700:
        return min((length - 700) / 100, 10.0)
    return (300 - length) / 100 if length < 300 else 0.0


def detailedness(length: int, similarity: float | None, present: int, released: bool = False) -> float:
    """0.2 completeness + 0.4 (10 - redundancy) + 0.4 (10 - length penalty), of `present` of six parts."""
    complete = 10.0 * present / len(KEYS)
    repeated = 0.0 if similarity is None else redundancy(similarity)
    return 0.2 * complete + 0.4 * (10.0 - repeated) + 0.4 * (10.0 - length_penalty(length, released))


def present(idea: Mapping[str, Any], released: bool) -> int:
    """Parts that are there: as released those that are not null, and missing keys count; ours: not empty."""
    if released:
        return sum(idea.get(key, "") is not None for key in KEYS)
    return sum(bool(v.strip() if isinstance(v := idea.get(key), str) else v) for key in KEYS)


# ------------------------------------------------------------ feasibility


def graph_by_ids(
    gold_steps: Mapping[str, str], gold_order: Sequence[Any], steps: Any, order: Any, released: bool = False
) -> float:
    """10 x (0.6 Jaccard of edges between ids + 0.4 Jaccard of the steps' words); 0 where a side is empty.

    The `released` code sorts ids as texts, and gives 0 for an order or steps that are anything but texts, and
    for a single step, which has no edge.
    """
    if not isinstance(steps, dict) or not isinstance(order, list) or not steps or not order:
        return 0.0
    if not gold_steps or not gold_order:
        return 0.0
    if released and (len(steps) == 1 or not all(isinstance(t, str) for t in (*steps.values(), *order))):
        return 0.0
    edges = [_edges_by_ids(s, o, released) for s, o in ((gold_steps, gold_order), (steps, order))]
    bags = [{w for text in s.values() for w in str(text).lower().split()} for s in (gold_steps, steps)]
    return 10.0 * (0.6 * _jaccard(*edges) + 0.4 * _jaccard(*bags))


def _jaccard(a: set[Any], b: set[Any]) -> float:
    return len(a & b) / len(a | b) if a | b else 0.0


def _edges_by_ids(steps: Mapping[str, Any], order: Sequence[Any], released: bool) -> set[Edge]:
    items = [str(item) for item in order]
    if all(item.isdigit() for item in items):
        chain = sorted(items, key=lambda item: (len(item.lstrip("0")), item.lstrip("0")))
        return set(pairwise(sorted(items) if released else chain))
    found = set()
    for item in items:
        ends = item.split("-")
        if len(ends) == 2 and ends[0] in steps and ends[1] in steps:
            found.add((ends[0], ends[1]))
    return found or set(pairwise(sorted(str(key) for key in steps)))


def edges_of(steps: Mapping[str, Any], order: Any) -> list[Edge]:
    """The edges between existing steps; `1 - 2` and `1->2` are accepted."""
    found = []
    for item in order[:2000] if isinstance(order, list) else ():
        match = re.fullmatch(r"\s*(\w+)\s*(?:-+>?|→)\s*(\w+)\s*", str(item)[:80])
        if match and match[1] in steps and match[2] in steps and match[1] != match[2]:
            found.append((match[1], match[2]))
    return list(dict.fromkeys(found))


def acyclic(edges: Sequence[Edge]) -> tuple[list[Edge], bool]:
    """The edges without those that would close a cycle, in the order of ids; whether one was dropped."""
    kept: list[Edge] = []
    reach: dict[str, set[str]] = {}
    for a, b in sorted(edges, key=lambda e: (_id(e[0]), _id(e[1]))):
        if a == b or a in reach.get(b, set()):
            continue
        kept.append((a, b))
        beyond = {b} | reach.get(b, set())
        for node in [a, *(n for n, seen in reach.items() if a in seen)]:
            reach.setdefault(node, set()).update(beyond)
    return kept, len(kept) < len(edges)


def _id(name: str) -> tuple[int, int, str]:
    return (0, int(name), "") if name.isdecimal() and len(name) < 10 else (1, 0, name)


def _reachable(edges: Sequence[Edge]) -> dict[str, set[str]]:
    following: dict[str, list[str]] = {}
    for a, b in edges:
        following.setdefault(a, []).append(b)
    found = {}
    for start in following:
        seen: set[str] = set()
        stack = list(following[start])
        while stack:
            node = stack.pop()
            if node not in seen:
                seen.add(node)
                stack += following.get(node, [])
        found[start] = seen
    return found


TYPE_WORDS: Mapping[str, tuple[str, ...]] = {
    "acquire": ("acquire", "collect", "gather", "measure"),
    "preprocess": ("preprocess", "clean", "filter", "normalise", "normalize"),
    "represent": ("represent", "encode", "embed", "feature"),
    "model": ("model", "simulate", "train"),
    "constrain": ("constrain", "constraint", "regularise", "regularize", "prior"),
    "optimise": ("optimise", "optimize", "search", "tune"),
    "calibrate": ("calibrate", "calibration"),
    "validate": ("validate", "validation", "test"),
    "ablate": ("ablate", "ablation", "remove"),
    "analyse": ("analyse", "analyze", "interpret", "report"),
}


TYPE_OF = {stem(word): kind for kind, names in TYPE_WORDS.items() for word in names}
"""The same by stem."""


def step_type(text: str) -> str:
    """The type of a step, by the first word that names one; empty where none does."""
    return next((TYPE_OF[stem(word)] for word in words(text) if stem(word) in TYPE_OF), "")


def objective_graph(
    gold_steps: Mapping[str, str],
    gold_edges: Sequence[Edge],
    gold_types: Mapping[str, str],
    slots: Mapping[str, Sequence[Sequence[str]]],
    steps: Mapping[str, str],
    order: Any,
    types: Mapping[str, str] | None = None,
    embedder: Embedder = embed,
) -> tuple[float, str]:
    """10 x (0.4 F1 of aligned steps + 0.4 F1 of edges as paths + 0.2 filled slots), and `cycle` or nothing.

    `slots` has for each gold step its slots, each a list of surface forms or a number with its unit.
    """
    steps = {str(key): str(text) for key, text in list(steps.items())[:200]}
    if not steps or not gold_steps:
        return 0.0, ""
    edges, cyclic = acyclic(edges_of(steps, order))
    kinds = {key: (types or {}).get(key) or step_type(text) for key, text in steps.items()}
    aligned = _aligned(gold_steps, gold_types, steps, kinds, embedder)  # model step -> gold step
    back = {gold: own for own, gold in aligned.items()}
    node = 2 * len(aligned) / (len(steps) + len(gold_steps))
    gold_paths, own_paths = _reachable(gold_edges), _reachable(edges)
    ours = sum(
        a in aligned and b in aligned and aligned[b] in gold_paths.get(aligned[a], ()) for a, b in edges
    )
    theirs = sum(a in back and b in back and back[b] in own_paths.get(back[a], ()) for a, b in gold_edges)
    edge = 0.0
    if edges and gold_edges and ours and theirs:
        precision, recall = ours / len(edges), theirs / len(gold_edges)
        edge = 2 * precision * recall / (precision + recall)
    asked = [(own, slot) for own, gold in aligned.items() for slot in slots.get(gold, ())]
    filled = sum(_fills(steps[own], slot) for own, slot in asked) / len(asked) if asked else 0.0
    return 10.0 * (0.4 * node + 0.4 * edge + 0.2 * filled), "cycle" if cyclic else ""


def _aligned(
    gold: Mapping[str, str],
    gold_types: Mapping[str, str],
    steps: Mapping[str, str],
    types: Mapping[str, str],
    embedder: Embedder,
) -> dict[str, str]:
    from scipy.optimize import linear_sum_assignment

    ours = sorted(gold, key=_id)
    theirs = sorted(steps, key=_id)
    vectors = {("g", k): embedder(gold[k]) for k in ours} | {("m", k): embedder(steps[k]) for k in theirs}
    similar = {(g, m): cosine(vectors["g", g], vectors["m", m]) for g in ours for m in theirs}
    same = {(g, m): bool(types.get(m)) and types.get(m) == gold_types.get(g) for g in ours for m in theirs}
    # Whole numbers, so that the matching does not hang on the last bits.
    costs = [[-round(1e6 * (0.5 * same[g, m] + 0.5 * similar[g, m])) for m in theirs] for g in ours]
    rows, columns = linear_sum_assignment(costs)
    found = {}
    for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
        g, m = ours[i], theirs[j]
        if (same[g, m] and similar[g, m] >= 0.10) or similar[g, m] >= 0.90:
            found[m] = g
    return found


def _fills(text: str, slot: Sequence[str]) -> bool:
    """Whether a form of a slot is in a text: as a quantity, converted, or as words."""
    tokens = words(text)
    flat = folded(text[:5000])
    for form in slot:
        wanted = quantity(form)
        if wanted is not None:
            for match in NUMBER.finditer(flat):
                after = re.split(r"[\s,;()]", flat[match.end() :].lstrip(), maxsplit=1)[0]
                found = quantity(f"{match[0]} {after.rstrip('.')}")
                if found is not None and close(found, wanted, 1e-6):
                    return True
        elif _occurrences(tokens, words(form)):
            return True
    return False


# ------------------------------------------------------------ votes


def vote(dimension: str, votes: int) -> str:
    """Win, tie or loss by votes out of six, as released: novelty needs five to win, the others four."""
    if votes > (4 if dimension == "novelty" else 3):
        return "win"
    return "lose" if votes <= 2 else "tie"


def with_votes(objective: float, dimension: str, votes: int) -> float:
    """A dimension (0 to 100) as released: the mean of its objective part and 100 for a win, else 0."""
    return (objective + 100.0 * (vote(dimension, votes) == "win")) / 2
