"""`assay submit`: all recordings of an agent in one file, for somebody else's leaderboard.

The bytes of the file depend on its content alone. docs/submitting.md describes it.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path

from assay import canonical
from assay.admission import archive, bundle, statements
from assay.config.agents import JudgeEntry, LanguageModel
from assay.config.loading import load
from assay.config.models import Config
from assay.config.option import add_config
from assay.errors import ConfigError
from assay.writing import write_whole


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `assay submit`."""
    parser.add_argument("agent", help="a model or program of config/agents.yaml")
    parser.add_argument("--sets", required=True, help="suite/set[,suite/set]")
    parser.add_argument("--out", type=Path, required=True, help="the file, e.g. my-agent.assay.tar.zst")
    parser.add_argument("--card", type=Path, help="who the agent is (default: cards/AGENT.yaml)")
    parser.add_argument(
        "--incomplete", action="store_true", help="list missing sessions; each counts as zero"
    )
    parser.add_argument("--key", type=Path, help="sign with this private key (assay ledger key new FILE)")
    parser.add_argument(
        "--publish-personal", action="store_true", help="submit although something looks like a secret"
    )
    add_config(parser)


def main(args: argparse.Namespace) -> int:
    """Write the bundle; returns the exit code, 0.

    Raises:
        NotBuilt: If sessions are missing and `--incomplete` is not given.
        ConfigError: If something looks like a secret, or an argument is wrong.
    """
    config = load(args.config)
    path = args.card or Path("cards") / f"{args.agent}.yaml"
    card = bundle.read_card(path, args.agent)
    if not path.exists():
        print(f"note: there is no {path}, so every field of the card is `unknown`")
    head, members = bundle.make(config, args.agent, args.sets.split(","), card, incomplete=args.incomplete)
    private = sorted(set(bundle.personal(members, _secrets(config))))
    if private and not args.publish_personal:
        raise ConfigError(
            f"the bundle would publish what looks personal: {'; '.join(private[:5])}"
            + (f" and {len(private) - 5} more" if len(private) > 5 else ""),
            "record these sessions without it; --publish-personal where it is harmless",
        )
    if args.key is not None:
        entry = canonical.digest(head.entry)
        envelope = statements.sign(statements.of_bundle(head.model_dump(mode="json"), entry), args.key)
        members[bundle.STATEMENT] = (canonical.dumps(envelope) + "\n").encode()
    data = archive.pack(members)
    write_whole(args.out, data)
    recordings = sum(name.startswith(bundle.RECORDINGS) for name in members)
    print(f"{args.out}: {recordings} recordings, {len(data)} bytes, root {head.root}")
    print(f"  sets: {', '.join(head.sets)}; attempts: {head.attempts}; missing: {len(head.missing)}")
    print("  public: recordings with every reply, the card, the entry without `access` and `budget`")
    print(f"  {'signed with ' + str(args.key) if args.key else 'not signed'}")
    return 0


def _secrets(config: Config) -> Mapping[str, str]:
    """Return the values of the variables that hold keys of any agent."""
    names = {
        entry.access.key
        for entry in (*config.agents.values(), *config.judges.values())
        if isinstance(entry, LanguageModel | JudgeEntry) and entry.access.key
    }
    return {name: os.environ[name] for name in sorted(names) if len(os.environ.get(name, "")) >= 8}
