"""Protocols of sgi: order of actions and their parameters, by counting pairs and parameters."""

from __future__ import annotations

import re
from itertools import combinations, permutations

from tests.rescoring.replies import close, in_base, quantity, tagged, tagged_as_released


def judged(public, hidden, reply, given):
    gold = calls(hidden["answer"])
    text, _ = tagged(reply)
    found = calls(text)
    pool = {plain(name) for name in re.findall(r"^<(.+?)>\(", public["columns"]["action_pool"], re.M)}
    order, parameters = similarity(gold, found), accuracy(gold, found, hidden["x_params"])
    valid = all(plain(step["action"]) in pool for step in found) and not misplaced(found)
    decoys = {plain(name) for name in hidden["x_decoys"]}
    ours = {
        "ss": order,
        "pa": parameters["share"],
        "valid": float(bool(found) and valid),
        "decoy_use": sum(plain(s["action"]) in decoys for s in found) / len(found) if found else None,
    }
    printed = {"ss": inversions(gold, found), "pa": parameters["of_gold"]}
    old_gold, old = visible(hidden["answer"]), visible(tagged_as_released(reply))
    released = {"ss": alphabetical(old_gold, old), "pa": stepwise(old_gold, old)}
    return {
        profile: ((values["ss"] + values["pa"]) / 2, values)
        for profile, values in (("default", ours), ("paper", printed), ("released", released))
    }


def plain(name):
    return " ".join(name.strip().strip("<>").split()).casefold()


# ------------------------------------------------------------ reading a program

CALL = re.compile(r"(\w+)[ \t]*=[ \t]*(<[^<>\n]+>|[A-Za-z][\w -]*?)[ \t]*\(")


def calls(text):
    """Steps in order: output, action, parameters (first of each name), and how many were repeated."""
    found, at = [], 0
    while match := CALL.search(text, at):
        inside, at = bracketed(text, match.end())
        step = {"out": match[1], "action": match[2], "given": {}, "repeated": 0}
        for part in separated(inside):
            key, equals, value = part.partition("=")
            if not equals or not key.strip().isidentifier():
                continue
            if key.strip() in step["given"]:
                step["repeated"] += 1
            else:
                step["given"][key.strip()] = value_of(value.strip())
        found.append(step)
    return found


def bracketed(text, start):
    depth, quote, at = 1, "", start
    while at < len(text):
        sign = text[at]
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign == "#":
            at = text.find("\n", at) if "\n" in text[at:] else len(text)
            continue
        elif sign in "([":
            depth += 1
        elif sign in ")]":
            depth -= 1
            if depth == 0:
                return text[start:at], at + 1
        at += 1
    return text[start:], len(text)


def separated(text):
    """Parts between commas that stand in no quotes and brackets."""
    parts, depth, quote = [""], 0, ""
    for sign in re.sub(r"(?m)^\s*#.*$", "", text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        depth += (sign in "([") - (sign in ")]") if not quote else 0
        if sign == "," and not quote and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def value_of(text):
    if text.startswith("[") and text.endswith("]"):
        return [value_of(part.strip()) for part in separated(text[1:-1]) if part.strip()]
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text


def visible(text):
    """What the released parser sees: calls in angle brackets whose closing parenthesis has its own line."""
    found = []
    for out, action, inside in re.findall(r"(\w+)\s*=\s*<([^>]+)>\(\n(.*?)\n\s*\)", text, re.S):
        given = {}
        for line in inside.split("\n"):
            key, equals, value = line.strip().rstrip(",").partition("=")
            if equals:
                given[key.strip()] = value.strip().strip('"')
        found.append({"out": out, "action": action.strip(), "given": given})
    return found


# ------------------------------------------------------------ order


def numbered(steps):
    seen, tokens = {}, []
    for step in steps:
        name = plain(step["action"])
        seen[name] = seen.get(name, 0) + 1
        tokens.append((name, seen[name]))
    return tokens


def similarity(gold, found):
    """Pairs in the same order over all pairs of the longer list."""
    r, p = numbered(gold), numbered(found)
    n = max(len(r), len(p))
    if n == 0:
        return 1.0
    if not r or not p:
        return 0.0
    if n == 1:
        return float(r == p)
    common = [token for token in r if token in p]
    same = sum(p.index(a) < p.index(b) for a, b in combinations(common, 2))
    return same / (n * (n - 1) / 2)


def inversions(gold, found):
    r, p = [plain(s["action"]) for s in gold], [plain(s["action"]) for s in found]
    if len(set(r)) < len(r) or sorted(r) != sorted(p):
        return 0.0
    n = len(r)
    if n <= 1:
        return 1.0
    return 1 - sum(p.index(a) > p.index(b) for a, b in combinations(r, 2)) / (n * (n - 1) / 2)


def alphabetical(gold, found):
    r, p = [s["action"] for s in gold], [s["action"] for s in found]
    if len(r) != len(p):
        return 0.0
    n = len(r)
    if n <= 1:
        return 1.0
    turned = 0
    for i, j in combinations(range(n), 2):
        turned += (r[i] < r[j] and p[i] > p[j]) or (r[i] > r[j] and p[i] < p[j])
    return 1 - turned / (n * (n - 1) / 2)


# ------------------------------------------------------------ parameters


def producers(steps):
    """For each step and parameter value, the earlier step whose output it names; null for a literal."""
    known, found = {}, []
    for k, step in enumerate(steps):
        found.append(dict(known))
        known[step["out"]] = k
    return found


def misplaced(steps):
    """Whether a bare name is used before the step that assigns it."""
    before, every = producers(steps), {step["out"] for step in steps}
    return any(
        isinstance(value, str) and value in every and value not in before[k]
        for k, step in enumerate(steps)
        for given in step["given"].values()
        for value in (given if isinstance(given, list) else [given])
    )


def accuracy(gold, found, params):
    """Right parameters of all gold ones, and of those with all that were too many.

    Repeats of an action are paired with those of the gold program so that the most parameters are right.
    """
    total = sum(len(step["given"]) for step in gold)
    tokens, theirs = numbered(gold), numbered(found)
    pairs = best_pairs = {g: theirs.index(token) for g, token in enumerate(tokens) if token in theirs}
    right = correct(gold, found, pairs, params)
    for _ in range(10):  # references follow the pairs of the round before
        pairs = repaired(gold, found, pairs, params)
        count = correct(gold, found, pairs, params)
        if count > right:
            right, best_pairs = count, pairs
    extra = sum(step["repeated"] for step in found)
    for k, step in enumerate(found):
        matched = [g for g, f in best_pairs.items() if f == k]
        extra += (
            len(step["given"].keys() - gold[matched[0]]["given"].keys()) if matched else len(step["given"])
        )
    share = right / (total + extra) if total else float(extra == 0)
    return {"share": share, "of_gold": right / total if total else 1.0}


def repaired(gold, found, pairs, params):
    """Within each action the pairs with most right parameters; among equals the nearest to appearance.

    Of several as near the first: where the first gold step has the earliest partner, then the second.
    """
    result = {}
    for name in {plain(step["action"]) for step in gold}:
        g = [k for k, s in enumerate(gold) if plain(s["action"]) == name]
        f = [k for k, s in enumerate(found) if plain(s["action"]) == name]
        if len(g) <= len(f):
            choices = [dict(zip(g, one, strict=True)) for one in permutations(f, len(g))]
        else:
            choices = [dict(zip(one, f, strict=True)) for one in permutations(g, len(f))]
        worth = {(a, b): correct(gold, found, {a: b}, params, references=pairs) for a in g for b in f}
        result |= max(
            choices,
            key=lambda one: (
                sum(worth[pair] for pair in one.items()),
                -sum(abs(g.index(a) - f.index(b)) for a, b in one.items()),
                [-f.index(one[a]) if a in one else -len(f) for a in g],
            ),
        )
    return result


def correct(gold, found, pairs, params, references=None):
    references = pairs if references is None else references
    before_gold, before = producers(gold), producers(found)
    right = 0
    for g, f in pairs.items():
        for key, wanted in gold[g]["given"].items():
            if key not in found[f]["given"]:
                continue
            given = found[f]["given"][key]
            a = wanted if isinstance(wanted, list) else [wanted]
            b = given if isinstance(given, list) else [given]
            same = isinstance(wanted, list) == isinstance(given, list) and len(a) == len(b)
            right += same and all(
                one_right(x, y, before_gold[g], before[f], references, params[g].get(key))
                for x, y in zip(a, b, strict=True)
            )
    return right


def one_right(wanted, given, known_gold, known, pairs, spec):
    if wanted in known_gold:
        return given in known and pairs.get(known_gold[wanted]) == known[given]
    if given in known:
        return False
    return literal_right(wanted, given, spec or {})


def literal_right(wanted, given, spec):
    a, b = quantity(wanted), quantity(given)
    if spec.get("kind") == "word" or a is None or b is None:
        words = [wanted, *spec.get("aliases", [])]
        return " ".join(given.split()).casefold() in {" ".join(w.split()).casefold() for w in words}
    (kind, x), (other, y) = in_base(*a), in_base(*b)
    return kind == other and close(x, y, spec.get("tolerance", 1e-6))


def stepwise(gold, found):
    """The released PA: position by position, and literals are never looked at; any output is a reference."""
    longest = max(len(gold), len(found))
    if longest == 0:
        return 0.0
    outputs, names = ({step["out"] for step in steps} for steps in (gold, found))
    mapped, errors = {}, abs(len(gold) - len(found))
    for a, b in zip(gold, found, strict=False):
        fine = a["action"] == b["action"] and a["given"].keys() == b["given"].keys()
        for key in a["given"] if fine else ():
            x, y = a["given"][key], b["given"][key]
            if x in outputs and y in names:
                fine = fine and mapped.get(y) == x
            elif (x in outputs) != (y in names):
                fine = False
        if fine:
            mapped[b["out"]] = a["out"]
        errors += not fine
    return 1 - errors / longest
