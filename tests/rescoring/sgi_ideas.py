"""Ideas of sgi: keywords, likeness of texts by hashed words, completeness, the graph of the plan."""

from __future__ import annotations

import ast
import hashlib
import math
import re
import unicodedata
from collections import Counter
from itertools import combinations, pairwise

from tests.rescoring.replies import close, in_base, last_object, quantity

PARTS = (
    "Idea",
    "ImplementationSteps",
    "ImplementationOrder",
    "EvaluationMetrics",
    "Dataset",
    "ExpectedOutcome",
)


def judged(public, hidden, reply, given):
    hidden = {name: opened(value) for name, value in hidden.items()}
    block = last_object(reply, PARTS)
    idea = block.get("Idea")
    idea = idea if isinstance(idea, str) else ""
    plan = steps_of(block.get("ImplementationSteps"))
    known = [*hidden["related_work"].values(), *hidden["existing_solutions"].values()]
    tested = [f"{name}: {text}" for name, text in hidden["related_work_test"].items()]
    hits, stuffed = keywords(idea, hidden["x_synonyms"])
    share = hits / len(hidden["x_synonyms"])
    me, groups = embedded(idea), ([embedded(t) for t in known], [embedded(t) for t in tested])
    means = [sum(cosine(me, other) for other in group) / len(group) for group in groups]
    nearest = max(cosine(me, other) for group in groups for other in group)
    halves = [min(1.0, max(0.0, 1 - m)) for m in means]
    short = min(1.0, len(words(idea)) / 20) if idea.strip() else 0.0
    ours = {
        "effectiveness_objective": share / 2 if stuffed else share,
        "novelty_objective": short * sum(halves) / 2,
        "detailedness_objective": detail(block, idea, objective=True),
        "feasibility_objective": graph(hidden, block, plan),
        "novelty_nn": min(1.0, max(0.0, 1 - nearest)) if words(idea) else 0.0,
    }
    # Which works a printed novelty is a mean over is not said, so that the objective rule holds.
    printed = {
        "effectiveness_objective": share,
        "novelty_objective": ours["novelty_objective"],
        "detailedness_objective": ours["detailedness_objective"],
        "feasibility_objective": ours["feasibility_objective"],
    }
    released = {
        "effectiveness_objective": min(1.0, max(0.0, cosine(embedded(", ".join(hidden["keywords"])), me))),
        "novelty_objective": sum(halves) / 2,
        "detailedness_objective": detail(block, idea, objective=False),
        "feasibility_objective": likeness(hidden, block, plan),
    }
    dimensions = [ours[name] for name in ours if name != "novelty_nn"]
    return {"default": (sum(dimensions) / 4, ours), "paper": (None, printed), "released": (None, released)}


def opened(value):
    """The released columns hold some lists and objects as text, in Python's own form."""
    return ast.literal_eval(value) if isinstance(value, str) and value[:1] in ("{", "[") else value


# ------------------------------------------------------------ texts


def words(text):
    return re.findall("[a-z0-9]+", unicodedata.normalize("NFKC", text).casefold())


def embedded(text):
    """hash-tf-v1: words and pairs of neighbours at 4096 signed places, logarithmic weight, length 1."""
    tokens = words(text)
    counts = Counter(tokens) + Counter(f"{a} {b}" for a, b in pairwise(tokens))
    vector = {}
    for gram, count in counts.items():
        bits = int.from_bytes(hashlib.blake2b(gram.encode(), digest_size=8).digest(), "big")
        sign = 1 if bits >= 2**63 else -1
        vector[bits % 4096] = vector.get(bits % 4096, 0.0) + sign * (1 + math.log(count))
    length = math.sqrt(sum(v * v for v in vector.values()))
    return {place: v / length for place, v in vector.items()} if length else {}


def cosine(a, b):
    return sum(x * b.get(place, 0.0) for place, x in a.items())


def stem(token):
    for ending in ("ations", "ation", "ings", "ing", "ies", "ed", "es", "s"):
        if token.endswith(ending):
            return token[: -len(ending)] if len(token) - len(ending) >= 4 else token
    return token


def keywords(idea, synonyms):
    """How many keywords occur, and whether their words are more than 30 % of the idea."""
    tokens = [stem(t) for t in words(idea)]
    covered, hits = set(), 0
    for forms in synonyms:
        places = set()
        for form in forms:
            wanted = [stem(t) for t in words(form)]
            for k in range(len(tokens) - len(wanted) + 1):
                if tokens[k : k + len(wanted)] == wanted:
                    places |= set(range(k, k + len(wanted)))
        hits += bool(places)
        covered |= places
    return hits, len(covered) > 0.3 * len(tokens)


def detail(block, idea, objective):
    if objective:
        present = sum(bool(value.strip() if isinstance(value := block.get(p), str) else value) for p in PARTS)
    else:
        present = sum(p not in block or block[p] is not None for p in PARTS)
    sentences = [s.strip() for s in re.split("[.!?。！？]", idea)]
    vectors = [embedded(s) for s in sentences if len(s) > 10]
    repeated = 0.0
    if len(vectors) > 1:
        pairs = [cosine(a, b) for a, b in combinations(vectors, 2)]
        repeated = min(10.0, max(0.0, (sum(pairs) / len(pairs) - 0.2) * 10))
    n = len(idea)
    length = (n - 700) / 100 if n > 700 else (300 - n) / 100 if n < 300 else 0.0
    if not idea:
        length = 10.0 if objective else 0.0
    length = min(10.0, length)
    return (0.2 * 10 * present / 6 + 0.4 * (10 - repeated) + 0.4 * (10 - length)) / 10


# ------------------------------------------------------------ plans


def steps_of(value):
    if isinstance(value, list):
        value = {str(k): text for k, text in enumerate(value, 1)}
    return {str(k): str(v) for k, v in value.items()} if isinstance(value, dict) else {}


def edges_of(order, nodes, pattern):
    found = []
    for item in order if isinstance(order, list) else ():
        match = re.fullmatch(pattern, str(item).strip())
        if match and match[1] in nodes and match[2] in nodes and match[1] != match[2]:
            found.append((match[1], match[2]))
    return set(found)


def number(node):
    return (0, int(node)) if node.isdigit() else (1, node)


def reached(edges, a):
    found, more = set(), {a}
    while more:
        more = {y for x, y in edges if x in more} - found
        found |= more
    return found


def graph(hidden, block, plan):
    """Objective feasibility: 0.4 for nodes, 0.4 for edges, 0.2 for the slots of aligned steps."""
    wanted = hidden["implementation_steps"]
    true = edges_of(hidden["implementation_order"], wanted, r"(\w+)-(\w+)")
    mine = edges_of(block.get("ImplementationOrder"), plan, r"(\w+)\s*(?:-|->)\s*(\w+)")
    types = block.get("StepTypes") if isinstance(block.get("StepTypes"), dict) else {}
    if not plan:
        return 0.0
    pairs = aligned(hidden, plan, types)
    back = {b: a for a, b in pairs.items()}
    nodes = 2 * len(pairs) / (len(plan) + len(wanted))
    precision = sum(a in pairs and b in pairs and pairs[b] in reached(true, pairs[a]) for a, b in mine)
    recall = sum(a in back and b in back and back[b] in reached(mine, back[a]) for a, b in true)
    precision, recall = precision / len(mine) if mine else 0.0, recall / len(true) if true else 0.0
    links = 2 * precision * recall / (precision + recall) if precision and recall else 0.0
    slots = [filled(plan[a], slot) for a, b in pairs.items() for slot in hidden["x_slots"][b]]
    return 0.4 * nodes + 0.4 * links + 0.2 * (sum(slots) / len(slots) if slots else 0.0)


def aligned(hidden, plan, types):
    """The pairs of the heaviest matching of steps, as far as they are alike enough."""
    ours, theirs = sorted(plan, key=number), sorted(hidden["implementation_steps"], key=number)
    mine = {a: embedded(plan[a]) for a in ours}
    other = {b: embedded(hidden["implementation_steps"][b]) for b in theirs}
    likes = {(a, b): cosine(mine[a], other[b]) for a in ours for b in theirs}
    alike = {(a, b): types.get(a) == hidden["x_step_types"][b] for a in ours for b in theirs}
    # Best weight over sets of steps of the template that are taken, one own step after the other.
    best = {frozenset(): (0.0, ())}
    for a in ours:
        after = dict(best)
        for taken, (weight, chosen) in best.items():
            for b in theirs:
                if b not in taken:
                    candidate = (weight + 0.5 * alike[a, b] + 0.5 * likes[a, b], (*chosen, (a, b)))
                    key = taken | {b}
                    if key not in after or candidate[0] > after[key][0]:
                        after[key] = candidate
        best = after
    _, chosen = max(best.values(), key=lambda one: one[0])
    return {a: b for a, b in chosen if (alike[a, b] and likes[a, b] >= 0.10) or likes[a, b] >= 0.90}


def filled(text, forms):
    """Whether a slot's quantity, or one of its forms as whole words, occurs in a step's text."""
    tokens = words(text)
    for form in forms:
        amount = quantity(form)
        if amount is not None and amount[1]:
            for value, unit in re.findall(r"(?<![\w.])([-+]?\d+(?:\.\d+)?)\s*([A-Za-zµ%°]+)", text):
                (kind, x), (other, y) = in_base(*quantity(value + " " + unit)), in_base(*amount)
                if kind == other and close(x, y, 1e-6):
                    return True
        else:
            wanted = words(form)
            if any(tokens[k : k + len(wanted)] == wanted for k in range(len(tokens) - len(wanted) + 1)):
                return True
    return False


def likeness(hidden, block, plan):
    """Released feasibility: the share of equal edges by id, and of equal words."""
    wanted, order = hidden["implementation_steps"], block.get("ImplementationOrder")
    told = block.get("ImplementationSteps")
    if not plan or not order or not isinstance(told, dict) or len(told) < 2:
        return 0.0
    if {type(text) for text in [*told.values(), *order]} != {str}:
        return 0.0
    graphs = []
    for nodes, given in ((wanted, hidden["implementation_order"]), (plan, order)):
        edges = edges_of(given, nodes, r"([^-]+)-([^-]+)")
        if not edges:
            chain = sorted(nodes)
            if isinstance(given, list) and all(str(i).isdigit() for i in given):
                chain = sorted(map(str, given))
            edges = set(pairwise(chain))
        graphs.append((edges, {w for text in nodes.values() for w in text.lower().split()}))
    (e1, w1), (e2, w2) = graphs
    return 0.6 * len(e1 & e2) / len(e1 | e2) + 0.4 * len(w1 & w2) / len(w1 | w2) if e1 | e2 else 0.0
