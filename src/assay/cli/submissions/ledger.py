"""`assay ledger`: what a leaderboard has announced, admitted and removed, and whether its lines agree.

docs/hosting.md describes the commands and the form of the file.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import assay
from assay import canonical
from assay.admission import rungs, statements
from assay.admission.admit import BUNDLES, remove
from assay.admission.agreement import disagreements
from assay.admission.bundle import entry_facts
from assay.admission.ledger import Kind, Ledger, LedgerError, Line, check, locked, words
from assay.config.agents import Agents, ModelEntry
from assay.config.loading import load, read
from assay.config.option import add_config
from assay.config.places import FROZEN
from assay.config.problems import all_problems
from assay.errors import ConfigError
from assay.numbers import paired, student


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands of `assay ledger`."""
    commands = parser.add_subparsers(dest="action", required=True, metavar="COMMAND")

    def command(name: str, doc: str, *, writes: bool = True) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=doc, description=doc)
        sub.add_argument("--ledger", type=Path, default=Path("ledger"), help="default: %(default)s")
        add_config(sub)
        sub.add_argument("--json", action="store_true", help="print JSON")
        if writes:
            sub.add_argument("--date", required=True, help="the date of the line, YYYY-MM-DD")
            sub.add_argument("--by", default="host", help="who writes it (default: %(default)s)")
            sub.add_argument("--reason", default="", help="why, in words")
        return sub

    one = command("announce", "fix entry, sets and attempts of an agent before it plays")
    one.add_argument("agent")
    one.add_argument("--sets", required=True, help="suite/set[,suite/set]")
    one.add_argument("--attempts", type=int, required=True)
    one.add_argument("--agents", type=Path, help="the file with its entry (default: that of the project)")
    one = command("commit", "publish the hash of a fresh set's secret")
    one.add_argument("--set", dest="task_set", required=True, help="suite/set")
    one.add_argument("--hash", dest="sha256", required=True, help="sha256 of the secret, hexadecimal")
    one = command("reveal", "publish the secret of a set")
    one.add_argument("--set", dest="task_set", required=True, help="suite/set")
    one.add_argument("--secret", type=Path, required=True, help="the file that holds it")
    one = command("confirm", "compare an admitted agent's scores with those on a fresh set")
    one.add_argument("root", help="the root of the bundle, or its first characters")
    one.add_argument("--fresh-set", required=True, help="suite/set, played by the same agent")
    one.add_argument("--scale", type=float, required=True, help="the length of the scale: 100, or 1")
    one.add_argument("--results", type=Path, default=Path("results"))
    one = command("rebuild", "add a signed statement of somebody who rebuilt the results")
    one.add_argument("statement", type=Path)
    one = command("remove", "remove an admission; its line stays, and the reason is shown")
    one.add_argument("line", type=int)
    command("rescore", "note that scores follow new rules from here on")
    key = commands.add_parser("key", help="make a key, or register one").add_subparsers(
        dest="key_action", required=True, metavar="COMMAND"
    )
    new = key.add_parser("new", help="write a new private key to a file")
    new.add_argument("file", type=Path)
    add = key.add_parser("add", help="register a public key")
    add.add_argument("public", help="the public key in base64, as `key new` prints it")
    add.add_argument("--role", choices=("operator", "submitter", "rebuilder"), required=True)
    add.add_argument("--name", required=True, help="whose it is; of a submitter, the agent")
    add.add_argument("--ledger", type=Path, default=Path("ledger"))
    add.add_argument("--date", required=True)
    add.add_argument("--by", default="host")
    add.add_argument("--reason", default="")
    command("show", "all lines in words", writes=False)
    one = command("check", "whether the lines hold together; names the line that does not", writes=False)
    one.add_argument("--head", help="the hash of the last line, as published elsewhere")
    one.add_argument("--absent", default="", help="roots of bundles that are kept elsewhere, with commas")


def main(args: argparse.Namespace) -> int:
    """Run a subcommand; returns 0, or 1 where `check` finds something."""
    if args.action == "key" and args.key_action == "new":
        print(statements.new_key(args.file))
        return 0
    if args.action == "show":
        return _show(args)
    if args.action == "check":
        return _check(args)
    if args.action == "remove":
        config = load(args.config)
        line = remove(args.ledger, config, args.line, date=args.date, by=args.by, reason=args.reason)
    else:
        with locked(args.ledger) as ledger:
            kind, subject, facts = _WRITERS[args.action](args, ledger)
            changed = ledger.added(
                kind, date=args.date, subject=subject, by=args.by, reason=args.reason, facts=facts
            )
            changed.write()
            line = changed.lines[-1]
    print(_words(line))
    return 0


New = tuple[Kind, str, dict[str, Any]]


def _announce(args: argparse.Namespace, ledger: Ledger) -> New:
    if args.agents is None:
        entry: Any = load(args.config).agents.get(args.agent)
    else:
        problems: list[str] = []
        agents = read(Agents, args.agents, problems)
        if agents is None:
            raise all_problems(problems)
        entry = agents.agents.get(args.agent)
    if not isinstance(entry, ModelEntry):
        raise ConfigError(
            f"there is no model {args.agent!r} in {args.agents or 'the configuration'}",
            "give the file with the submitter's entry: --agents FILE",
        )
    if entry.attempts != args.attempts:
        raise ConfigError(
            f"the entry says attempts: {entry.attempts}, not {args.attempts}", "let both say the same"
        )
    digest = canonical.digest(entry_facts(entry))
    facts = {
        "agent": args.agent,
        "entry_sha256": digest,
        "sets": sorted(args.sets.split(",")),
        "attempts": args.attempts,
    }
    return "announce", digest, facts


def _commit(args: argparse.Namespace, ledger: Ledger) -> New:
    if len(args.sha256) != 64 or set(args.sha256) - set("0123456789abcdef"):
        raise ConfigError(f"{args.sha256!r} is no sha256", "give 64 hexadecimal digits")
    return "commit", args.task_set, {"set": args.task_set, "sha256": args.sha256}


def _reveal(args: argparse.Namespace, ledger: Ledger) -> New:
    try:
        secret = args.secret.read_bytes()
    except OSError as problem:
        raise ConfigError(f"{args.secret} cannot be read ({problem.strerror})", "name the file") from problem
    committed = [line.facts["sha256"] for line in ledger.of("commit") if line.facts["set"] == args.task_set]
    if hashlib.sha256(secret).hexdigest() not in committed:
        raise LedgerError(
            f"no line commits to this secret for {args.task_set}", "reveal the bytes that were committed to"
        )
    return "reveal", args.task_set, {"set": args.task_set, "secret": secret.hex()}


def _confirm(args: argparse.Namespace, ledger: Ledger) -> New:
    from assay.comparison.attempts import from_results

    admission = _admission(ledger, args.root)
    suite, _, fresh = args.fresh_set.partition("/")
    public = fresh.removesuffix(".private")
    if f"{suite}/{public}" not in admission.facts["sets"]:
        raise LedgerError(
            f"line {admission.n} admits no results of {suite}/{public}", "confirm a set that was admitted"
        )
    committed = {line.facts["set"]: line.n for line in ledger.of("commit")}
    revealed = {line.facts["set"]: line.n for line in ledger.of("reveal")}
    if not admission.n < revealed.get(args.fresh_set, -1) or args.fresh_set not in committed:
        raise LedgerError(
            f"{args.fresh_set} was not committed to before and revealed after the admission",
            "assay ledger commit, let the agent play, then assay ledger reveal",
        )
    agent = admission.facts["agent"]
    scores = {}
    for name in (public, fresh):
        by_task = from_results(args.results, suite, name).scores(agent)
        scores[name] = [sum(values) / len(values) for values in by_task.values()]
    gap = _gap(scores[public], scores[fresh])
    facts = {
        "fresh_set": args.fresh_set,
        "tasks": len(scores[fresh]),
        **{name: round(value, 6) for name, value in gap.items()},
        "limit": 0.05 * args.scale,
    }
    return "confirm", admission.subject, facts


def _gap(public: list[float], fresh: list[float]) -> dict[str, float]:
    """Return the means, public less fresh, and the upper end of its 95 % interval (Welch)."""
    values = [paired.clustered(scores, range(len(scores))) for scores in (public, fresh)]
    means, errors = [each.mean for each in values], [each.error or 0.0 for each in values]
    error = (errors[0] ** 2 + errors[1] ** 2) ** 0.5
    freedom = min(len(public), len(fresh)) - 1
    difference = means[0] - means[1]
    high = difference + student.quantile(0.05, max(1, freedom)) * error
    return {"public": means[0], "fresh": means[1], "difference": difference, "high": high}


def _rebuild(args: argparse.Namespace, ledger: Ledger) -> New:
    signed = statements.opened(args.statement.read_bytes())
    if signed.statement["predicateType"] != statements.REBUILD:
        raise LedgerError(f"{args.statement} is no statement of a rebuild", "assay verify --statement FILE")
    if (line := ledger.key(signed.key)) is None or line.facts["role"] != "rebuilder":
        raise LedgerError(
            f"the key {signed.key[:12]} is not registered",
            "assay ledger key add KEY --role rebuilder --name WHO",
        )
    suites = signed.statement["predicate"]["suites"]
    manifest = signed.statement["subject"][0]["digest"]["sha256"]
    identical = bool(suites) and all(verdict == "identical" for verdict in suites.values())
    rows = signed.statement["predicate"]["rows"]
    facts = {
        "key": signed.key,
        "manifest": manifest,
        "identical": identical,
        "suites": suites,
        "rows": rows,
    }
    return "rebuild", manifest, facts


def _rescore(args: argparse.Namespace, ledger: Ledger) -> New:
    manifest = hashlib.sha256(Path(FROZEN).read_bytes()).hexdigest()
    return "rescore", manifest, {"version": assay.__version__}


def _key(args: argparse.Namespace, ledger: Ledger) -> New:
    try:
        public = base64.b64decode(args.public, validate=True)
    except ValueError:
        public = b""
    if len(public) != 32:
        raise ConfigError(f"{args.public!r} is no public key", "give what `assay ledger key new` printed")
    if ledger.key(statements.key_id(public)) is not None:
        raise LedgerError("this key is registered already", "a key has one role")
    return "key", args.name, {"key": statements.key_id(public), "public": args.public, "role": args.role}


_WRITERS = {
    "announce": _announce,
    "commit": _commit,
    "reveal": _reveal,
    "confirm": _confirm,
    "rebuild": _rebuild,
    "rescore": _rescore,
    "key": _key,
}


def _admission(ledger: Ledger, root: str) -> Line:
    found = [line for line in ledger.admitted if line.subject.startswith(root)]
    if len(found) != 1:
        raise LedgerError(
            f"{len(found)} present admissions have the root {root}", "give more of its characters"
        )
    return found[0]


def _show(args: argparse.Namespace) -> int:
    ledger = Ledger.read(args.ledger)
    if args.json:
        rows = [
            {**vars(line), "rungs": rungs.of(ledger, line) if line.kind == "admit" else None}
            for line in ledger.lines
        ]
        print(json.dumps(rows, indent=1))
    else:
        for line in ledger.lines:
            print(_words(line))
        print(f"head {ledger.head}")
    return 0


def _words(line: Line) -> str:
    reason = f" ({line.reason})" if line.reason else ""
    return f"{line.n}  {line.date}  {line.kind}  {words(line)}{reason}"


def _check(args: argparse.Namespace) -> int:
    problems: list[str] = []
    try:
        ledger = Ledger.read(args.ledger)
    except LedgerError as problem:
        problems = [problem.message]
    else:
        bundles = sorted(
            path.name.partition(".")[0] for path in (args.ledger / BUNDLES).glob("*.assay.tar.zst")
        )
        problems = check(ledger, bundles, [root for root in args.absent.split(",") if root])
        if args.config.exists() and not problems:
            problems = disagreements(ledger, load(args.config))
        if args.head and args.head != ledger.head:
            problems.append(f"the last line has the hash {ledger.head}, not the published {args.head}")
    if args.json:
        print(json.dumps({"problems": problems}, indent=1))
    else:
        print("\n".join(problems) if problems else f"{args.ledger}: the lines hold together")
    return int(bool(problems))
