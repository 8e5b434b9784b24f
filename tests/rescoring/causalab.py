"""Metrics of causalab from the log: the laboratory's evidence, sets of edges, and counting graphs one by one.

What the manipulator showed is taken from the log as it stands; records, start state and reactor are computed
from the model file. Expressions of model files and of agents are walked, never executed.
"""

from __future__ import annotations

import ast
import itertools
import json
import math
import random
import re
import zlib
from pathlib import Path

import yaml
from tests.rescoring import causalab_beyond as beyond
from tests.rescoring.comparing import UNCOUNTED

BELIEFS = "an expectation over the prior of graphs, which test_attainable.py compares with all graphs"
EXEMPT: dict[str, str] = {
    "yoked_f1": BELIEFS,
    "information": BELIEFS,
    "information_share": BELIEFS,
}

Y = "resonanceFreq"
CURVES = Path(__file__).parents[2] / "src/assay/suites/causalab/data/attained.yaml"
"""What an optimal agent reaches, by number of interventions; test_attainable.py computes it again."""
MOST_LEAVES = 20_000


def needs_events(task):
    return True


def rescore(task, episode, blob, given):
    """Value by (profile, metric, step) of one episode."""
    lab = Laboratory(task)
    log = Log(lab, episode)
    hypothesis = log.final
    true, found = lab.edges, edges_of(hypothesis)
    done = bool(isinstance(episode.submission, dict) and episode.submission["completed"])
    precision, recall, f1 = agreement(found, true)
    possible = lab.solvable()
    noted = log.noted
    start = [lab.start] if lab.start_seen(log.states) else []
    seen = [*lab.records, *(item for item, _ in lab.golden), *start, *log.states]
    residuals = [residual(hypothesis, item) for item in seen]
    bad = [r is None or r > 1.0 for r in residuals]
    known = [r for r in residuals if r is not None]
    values = {
        "score": (done + f1) / 2,
        "solved": float(done),
        "solvable": float(possible),
        "solved_solvable": float(done) if possible else None,
        "root_f1": agreement(roots(found), roots(true))[2],
        "edge_precision": precision,
        "edge_recall": recall,
        "edge_f1": f1,
        "shd": hamming(found, true),
        "freq_edge_f1": agreement(into_target(found), into_target(true))[2],
        "freq_weight_f1": weights_f1(lab, hypothesis),
        "freq_weight_quad": terms_f1(lab, hypothesis),
        "weight_accuracy": weight_accuracy(lab, hypothesis),
        "imec_data": lab.graphs_left(log.states, log.targets) if lab.countable(7) else None,
        "imec_targets": lab.class_size(set(log.targets)),
        "budget_used": min(1.0, len(log.states) / lab.budget) if lab.budget else None,
        "interventions": len(log.states),
        "inconsistent_share": sum(bad) / len(bad),
        "mean_abs_residual": sum(known) / len(known) if known else None,
        "consistent": float(not any(bad)),
        "noted_inconsistent_share": None,
        "formula_hit": float((residual(hypothesis, lab.reactor) or 0) <= 5.0)
        if residual(hypothesis, lab.reactor) is not None
        else 0.0,
        "largest_request": max((abs(v) for v in log.requests), default=None),
        "parse_failures": log.failures,
    }
    if noted:
        off = [residual(hypothesis, item) for item in noted]
        values["noted_inconsistent_share"] = sum(r is None or r > 1.0 for r in off) / len(off)
    curve = lab.attainable()
    if curve is not None:
        values["attainable_f1"] = curve[min(lab.budget, len(curve) - 1)]
        values["attainable_used_f1"] = curve[min(len(log.states), len(curve) - 1)]
        values["regret"] = values["attainable_f1"] - f1
    scores = {("default", metric, None): value for metric, value in values.items()}

    for index, (step, then) in enumerate(log.along_the_way):
        states, targets = log.states[: index + 1], log.targets[: index + 1]
        found = edges_of(then)
        precision, recall, f1 = agreement(found, true, of_nothing=0.0)
        here = {
            "edge_precision": precision,
            "edge_recall": recall,
            "edge_f1": f1,
            "freq_edge_f1": agreement(into_target(found), into_target(true), of_nothing=0.0)[2],
            "shd": hamming(found, true),
            "weight_accuracy": weight_accuracy(lab, then),
            "imec_targets": lab.class_size(set(targets)),
        }
        if curve is not None:
            here["regret"] = curve[min(index + 1, len(curve) - 1)] - agreement(found, true)[2]
        if len(lab.names) <= 4:
            here["imec_data"] = lab.graphs_left(states, targets) if lab.countable(4) else None
        scores |= {("default", metric, step): value for metric, value in here.items()}
    empty = beyond.EMPTY.get(lab.kind, ())
    return {key: None if key[1] in empty else value for key, value in scores.items()}


# ------------------------------------------------------------ the world's side


class Laboratory:
    """What is true: the model, the records, the two crystals, the reactor's frequency."""

    def __init__(self, task):
        self.model = model = task.hidden["model"]
        self.public = task.public
        conditions = task.public["conditions"]
        self.mode, self.budget = conditions["mode"], conditions["budget"]
        self.names = [name for name, _ in task.public["variables"]]
        self.displayed = {display: name for name, display in task.public["variables"]}
        self.edges = {(edge["from"], edge["to"]) for edge in model["edges"]}
        self.controllable = [n for n in self.names if model["nodes"][n]["is_controllable"]]
        crystals = task.hidden.get("crystals") or self.released_crystals(conditions)
        self.sealed = "crystals" in task.hidden
        self.kind = task.public.get("rules", {}).get("kind", "")
        if self.kind:
            self.records = [beyond.record(self, b, crystals, n) for n, b in enumerate(crystals["records"])]
            self.start = {}
            self.reactor = beyond.reactor(self, crystals["reactor"], crystals)
        else:
            self.records = [self.values(bases) for bases in crystals["records"]]
            self.start = self.values(crystals["manipulator"])
            self.reactor = self.values(crystals["reactor"])
        self.target = self.reactor[Y]
        # A golden trace was seen as well: a start, another crystal, then interventions on the start.
        self.golden = [
            ({**item["props"], Y: item["freq"]}, item.get("intervention"))
            for item in model.get("bootstrap_past_data", [])
        ]
        self.golden_targets = [done["target_prop"] for _, done in self.golden if done]

    def released_crystals(self, conditions):
        """The bases of all crystals, drawn from the seeds of the released environment."""
        quadratic = self.model.get("quadratic_metadata", {})
        rng = random.Random(conditions["record_seed"])
        presets = quadratic.get("observation_presets", [])
        seed = conditions["env_seed"]
        return {
            "records": [
                presets[j] if j < len(presets) else {n: rng.randint(0, 100) for n in self.controllable}
                for j in range(conditions["records"])
            ],
            "manipulator": quadratic.get("property_manipulator") or self.crystal(seed, 0),
            "reactor": quadratic.get("reactor") or self.crystal(seed, 50000),
        }

    def start_seen(self, states):
        """Whether the manipulator was seen before anything was set; a menu of the embodied front shows it."""
        conditions = self.public["conditions"]
        return conditions["initial_state"] or (bool(states) and conditions["front"] == "embodied")

    def attainable(self):
        """The kept curve of an optimal agent, if the episode is one that it is about."""
        model = self.model
        properties = [name for name in self.names if name != Y]
        if (
            not self.sealed
            or self.golden
            or self.y_may_cause
            or not self.countable(7)
            or self.public["conditions"]["front"] != "text"
            or self.controllable != properties
            or any(edge["from"] == Y for edge in model["edges"])
        ):
            return None
        kept = yaml.safe_load(CURVES.read_text())
        points = kept.get(f"{len(self.names)} variables, {self.public['conditions']['records']} records")
        return None if points is None else [middle for middle, _ in points]

    def crystal(self, seed, other):
        bases = {}
        for name in self.controllable:
            bases[name] = random.Random(seed * 1000 + zlib.crc32(name.encode()) % 1000 + other).randint(
                0, 100
            )
        return bases

    def values(self, bases, added=()):
        """All values, rounded to cents before effects use them; `added` is what a latent cause adds."""
        found = {}
        nodes, params = self.model["nodes"], self.model["params"]

        def value(name):
            if name not in found:
                text = nodes[name].get("computation")
                if text is None:
                    exact = bases[name]
                else:
                    known = {cause: value(cause) for cause, effect in self.edges if effect == name}
                    known |= params
                    if name in bases:
                        known[f"base_{name}"] = bases[name]
                    exact = calculated(text, known)
                found[name] = round(exact + added[name] if name in added else exact, 2)
            return found[name]

        for name in self.names:
            value(name)
        return found

    def solvable(self):
        """Whether some submission is accepted: the reactor holds whole numbers, up to 10,000 as released."""
        near = [math.floor(self.target) + step for step in range(-6, 7)]
        legal = [v for v in near if v >= 0 and (self.mode != "compat" or v <= 10000)]
        return any(abs(v - self.target) < 5.0 for v in legal)

    def countable(self, most):
        return (
            len(self.names) <= most
            and self.public["family"] == "linear"
            and self.kind in ("", "continuous")
            and "hidden_variable" not in self.model
        )

    # -------------------------------------------------------- graphs that are left

    def graphs_left(self, states, targets):
        """Directed acyclic graphs that some coefficients reconcile with all evidence."""
        chains = [([self.start, *states], targets) if self.start_seen(states) else (states, targets[1:])]
        if self.golden:
            chains.append(
                ([self.golden[0][0], *(item for item, done in self.golden if done)], self.golden_targets)
            )
        allowed = {}
        for name in self.names:
            others = [n for n in self.names if n != name and (n != Y or self.y_may_cause)]
            allowed[name] = []
            for size in range(len(others) + 1):
                for parents in map(set, itertools.combinations(others, size)):
                    # What explains the data still does with another parent of coefficient 0.
                    if any(less <= parents for less in allowed[name]) or self.explains(
                        name, sorted(parents), chains
                    ):
                        allowed[name].append(parents)
        if len(self.names) <= 4:
            count = sum(
                acyclic({(p, n) for n, ps in zip(self.names, choice, strict=True) for p in ps}, self.names)
                for choice in itertools.product(*(allowed[n] for n in self.names))
            )
            return count or None
        return self.acyclic_choices(allowed) or None

    @property
    def y_may_cause(self):
        return bool(self.model.get("frequency_can_be_parent"))

    def explains(self, name, parents, chains):
        if name == Y:
            seen = [*self.records, *(item for item, _ in self.golden), *chains[0][0]]
            rows = [([1.0] + [item[p] for p in parents], item[Y]) for item in seen]
        else:
            rows = [
                ([after[p] - before[p] for p in parents], after[name] - before[name])
                for chain, targets in chains
                for before, after, target in zip(chain, chain[1:], targets, strict=False)
                if target != name
            ]
        return worst_residual(rows) <= 0.05

    def acyclic_choices(self, allowed):
        """How many choices of one parent set each have no cycle: by the set of nodes without effects."""
        names = self.names
        counts = {frozenset(): 1}
        for size in range(1, len(names) + 1):
            for members in map(frozenset, itertools.combinations(names, size)):
                total = 0
                for n_last in range(1, size + 1):
                    for last in itertools.combinations(sorted(members), n_last):
                        rest = members - set(last)
                        ways = counts[rest]
                        for node in last:
                            ways *= sum(parents <= rest for parents in allowed[node])
                        total += ways if n_last % 2 else -ways
                counts[members] = total
        return counts[frozenset(names)]

    def class_size(self, touched):
        """Graphs with the same skeleton and colliders and the same edges at the properties intervened on."""
        if "imec_targets" in beyond.EMPTY.get(self.kind, ()):
            return None
        touched = {*touched, *self.golden_targets}
        fixed = {edge for edge in self.edges if edge[0] in touched or edge[1] in touched}
        free = sorted(self.edges - fixed)
        colliders = unshielded(self.edges, self.edges)
        leaves = 0

        def orient(at, chosen):
            nonlocal leaves
            if leaves > MOST_LEAVES:
                return
            if not acyclic(chosen, self.names) or not unshielded(chosen, self.edges) <= colliders:
                return
            if at == len(free):
                leaves += unshielded(chosen, self.edges) == colliders
                return
            a, b = free[at]
            orient(at + 1, chosen | {(a, b)})
            orient(at + 1, chosen | {(b, a)})

        # Edges of colliders cannot turn, which saves most of the walk.
        for a, b, c in colliders:
            fixed |= {(a, b), (c, b)}
        free = [edge for edge in free if edge not in fixed]
        orient(0, fixed)
        # A class as large as that is estimated from random descents, and no exact number.
        return UNCOUNTED if leaves > MOST_LEAVES else leaves


def unshielded(edges, skeleton):
    """Colliders a -> b <- c, with a and c not joined."""
    joined = {frozenset(edge) for edge in skeleton}
    return {
        (a, b, c)
        for (a, b), (c, other) in itertools.product(edges, edges)
        if b == other and a < c and frozenset((a, c)) not in joined
    }


def acyclic(edges, names):
    left = set(names)
    while left:
        sources = {n for n in left if not any(b == n and a in left for a, b in edges)}
        if not sources:
            return False
        left -= sources
    return True


def worst_residual(rows):
    """The largest absolute residual of the least-squares solution, by orthogonal columns."""
    if not rows:
        return 0.0
    rest = [right for _, right in rows]
    basis = []
    for column in map(list, zip(*(left for left, _ in rows), strict=True)):
        size = math.sqrt(math.fsum(x * x for x in column))
        for _ in range(2):
            for one in basis:
                share = math.fsum(a * b for a, b in zip(column, one, strict=True))
                column = [a - share * b for a, b in zip(column, one, strict=True)]
        length = math.sqrt(math.fsum(x * x for x in column))
        if length > 1e-9 * size:
            basis.append([x / length for x in column])
    for _ in range(2):
        for one in basis:
            share = math.fsum(a * b for a, b in zip(rest, one, strict=True))
            rest = [a - share * b for a, b in zip(rest, one, strict=True)]
    return max(map(abs, rest))


# ------------------------------------------------------------ the agent's side


class Log:
    """What the agent did: its interventions with what they showed, and its hypotheses."""

    def __init__(self, lab, episode):
        self.states, self.targets, self.requests = [], [], []
        self.failures = 0
        self.final, self.noted = {}, []
        self.along_the_way = []  # (step of the intervention, last hypothesis before the next one)
        last, property_asked = {}, None
        for event in episode.events:
            if event.kind != "call" or event.tool != "record" or not event.ok:
                continue
            shown = event.parts[0]
            if not isinstance(shown, dict):
                shown = {}
            if "rule" in shown:
                self.failures += shown.get("error") == "parse_failure"
                continue
            record = record_of(event.arguments["text"])
            if record is None:
                continue
            hypothesis = record.get("hypothesis") or {}
            if hypothesis:
                last = hypothesis
            if any(hypothesis.get(field) for field in ("edges", "freq_equation", "coefficients")):
                self.final = hypothesis
            self.noted = [
                {**item["props"], Y: item["freq"]}
                for item in record.get("past_data", [])
                if isinstance(item, dict) and "props" in item and "freq" in item
            ]
            box = (shown.get("dialog_box") or {}).get("dialogIn", "")
            if "values" in shown:
                self.intervened(event.step, shown["values"], record["property"], record["value"], last)
            elif shown.get("message") == "The property is set.":
                lines = re.findall(r"^  (.*): (-?[0-9.e+]+|inf|nan)$", box, re.M)
                values = {lab.displayed[name]: float(text) for name, text in lines if name in lab.displayed}
                self.intervened(event.step, values, property_asked, record["value"], last)
            elif self.along_the_way:
                self.along_the_way[-1] = (self.along_the_way[-1][0], last)
            asked = re.match(r"Enter the new value of: (.*)", box)
            if asked:
                property_asked = lab.displayed.get(asked[1])

    def intervened(self, step, values, name, request, hypothesis):
        self.states.append(values)
        self.targets.append(name)
        self.requests.append(float(request))
        self.along_the_way.append((step, hypothesis))


def record_of(text):
    """The record of a step: the text, or the first fenced block in it."""
    fenced = re.search(r"```json\n(.*?)(?:```|\Z)", text, re.S)
    try:
        return json.loads(fenced[1] if fenced else text)
    except ValueError:
        braces = text[text.find("{") : text.rfind("}") + 1]
        try:
            return json.loads(braces)
        except ValueError:
            return None


def named(name):
    plain = re.sub(r"[ _-]", "", name).lower()
    return Y if plain in ("freq", "frequency", "resonancefreq", "resonancefrequency") else name.strip()


def edges_of(hypothesis):
    found = set()
    listed = hypothesis.get("edges")
    for edge in listed if isinstance(listed, list) else ():
        ends = (edge.get("from"), edge.get("to")) if isinstance(edge, dict) else tuple(edge)
        if len(ends) == 2 and all(isinstance(end, str) and end.strip() for end in ends):
            found.add((named(ends[0]), named(ends[1])))
    return found


def agreement(found, true, of_nothing=1.0):
    """Precision, recall and F1 of two sets; `of_nothing` is the share of nothing in nothing."""
    hits = len(found & true)
    precision = hits / len(found) if found else (of_nothing if not true else 0.0)
    recall = hits / len(true) if true else (of_nothing if not found else 0.0)
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def hamming(found, true):
    missing, extra = true - found, found - true
    turned = {(a, b) for a, b in missing if (b, a) in extra}
    return len(missing) + len(extra) - len(turned)


def into_target(edges):
    return {edge for edge in edges if edge[1] == Y}


def roots(edges):
    """Ancestors of the target without causes of their own."""
    reached = {Y}
    while True:
        more = {a for a, b in edges if b in reached} - reached
        if not more:
            break
        reached |= more
    return {n for n in reached - {Y} if not any(b == n for _, b in edges)}


def numeric(value):
    if isinstance(value, bool) or value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def coefficients_of(hypothesis):
    found = hypothesis.get("coefficients")
    return found if isinstance(found, dict) else {}


def true_weights(lab):
    """The linear weight of each cause of the target."""
    text, params = lab.model["nodes"][Y]["computation"], lab.model["params"]
    opening = r"\(" if lab.public["family"] == "monotone" else ""
    return {
        # The curve of a monotone equation stands in parentheses.
        cause: params[re.search(rf"(\w+) \* {opening}{cause}\b", text)[1]]
        for cause, effect in lab.edges
        if effect == Y
    }


def weights_f1(lab, hypothesis):
    """F1 of the linear weights into the target, within 1e-6."""
    given, true = coefficients_of(hypothesis), true_weights(lab)
    correct, matched = 0, set()
    for cause, weight in true.items():
        for name in (f"c_{cause}", f"coeff_{cause}_freq", f"coeff_{cause}_frequency", cause):
            alike = [key for key in given if key.lower() == name.lower()]
            key = name if name in given else alike[-1] if alike else None
            value = numeric(given[key]) if key is not None else None
            if value is not None:
                matched.add(key)
                correct += abs(value - weight) <= 1e-6
                break
    n_given = max(len(matched), len([k for k in given if k.startswith(("c_", "coeff_"))]))
    precision = correct / n_given if n_given else float(not true)
    recall = correct / len(true) if true else float(not n_given)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def terms_f1(lab, hypothesis):
    """F1 of all terms of the target within one per cent; `c_P_1` is of the square, `c_P_2` of P."""
    text, params = lab.model["nodes"][Y]["computation"], lab.model["params"]
    squares = lab.public["family"] == "quadratic"
    true = {}
    for cause, effect in lab.edges:
        if effect == Y:
            true[f"c_{cause}_2" if squares else f"c_{cause}"] = true_weights(lab)[cause]
            if squares:
                true[f"c_{cause}_1"] = params[re.search(rf"(\w+) \* \({cause} \^ 2\)", text)[1]]
    if lab.public["family"] == "interaction":
        causes = sorted(cause for cause, effect in lab.edges if effect == Y)
        for a, b in itertools.combinations(causes, 2):
            true[f"c_{a}_{b}"] = params[f"coeff_{a}_{b}_freq"]
    given = {key: value for key, value in coefficients_of(hypothesis).items() if key.startswith("c_")}
    correct = 0
    for key, value in given.items():
        # Without the ending it is the linear term, in a quadratic model too.
        wanted = true.get(key, true.get(f"{key}_2"))
        if wanted is not None and numeric(value) is not None:
            correct += abs(numeric(value) - wanted) <= 0.01 * abs(wanted)
    correct = min(correct, len(true))
    precision = correct / len(given) if given else float(not true)
    recall = correct / len(true) if true else float(not given)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def weight_accuracy(lab, hypothesis):
    """Share of the target's weights within .01, as the released script finds them."""
    given = coefficients_of(hypothesis)
    true = [
        (m[1], value)
        for key, value in lab.model["params"].items()
        if (m := re.match(r"coeff_(.+)_freq$", key))
    ]
    right = 0
    for token, weight in true:
        full = next((n for n in lab.names if n == token or n.startswith(token)), token)
        for key in (f"c_{token}", f"c_{full}", f"c_{token[:4]}"):
            value = numeric(given.get(key))
            if value is not None:
                right += abs(value - weight) < 0.01
                break
    return right / len(true) if true else None


# ------------------------------------------------------------ arithmetic


def residual(hypothesis, item):
    """Distance of the equation from one observation; null where the equation has no value there."""
    text = hypothesis.get("freq_equation")
    if not isinstance(text, str) or not text.strip():
        return None
    known = {name: value for name, value in item.items() if name != Y}
    known |= coefficients_of(hypothesis)
    try:
        value = calculated(text.split("=", 1)[-1], known)
        return abs(value - item[Y]) if math.isfinite(value) else None
    except (ValueError, KeyError, ArithmeticError, SyntaxError, TypeError):
        return None


def calculated(text, known):
    """The value of an arithmetic expression; `KeyError` or `ValueError` where it has none."""

    def walk(node):
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return node.value
        if isinstance(node, ast.Name):
            value = known[node.id]
            if type(value) not in (int, float):
                raise ValueError(node.id)
            return value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd | ast.USub):
            return -walk(node.operand) if isinstance(node.op, ast.USub) else walk(node.operand)
        if isinstance(node, ast.BinOp):
            a, b = walk(node.left), walk(node.right)
            match node.op:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
                case ast.Div():
                    return a / b
                case ast.Pow():
                    return float(a) ** b
        raise ValueError(ast.dump(node))

    return walk(ast.parse(text.strip().replace("^", "**"), mode="eval").body)
