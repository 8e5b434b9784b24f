"""`assay add-agent`: write an agent's entry into the configuration, once a request shows that it answers."""

from __future__ import annotations

import argparse
import textwrap
from pathlib import Path
from typing import Any

import yaml

from assay.agents import configured
from assay.agents.connection import connect, disconnect
from assay.agents.transport import Conversation, Message, TransportError
from assay.config.agents import ModelEntry
from assay.config.loading import load
from assay.config.models import Config
from assay.config.option import add_config
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.identity import Identity
from assay.errors import AssayError, ConfigError, UnknownName
from assay.sessions.programs.catalogue import checked_set
from assay.sessions.programs.trials import words_of
from assay.writing import write_whole

QUESTION = "Reply with the single word: ready"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `assay add-agent`."""
    parser.add_argument("name", help="the name of the agent")
    parser.add_argument(
        "--sets", required=True, metavar="suite/set[,suite/set]", help="the task sets that it plays"
    )
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--model", help="a provider's model in Inspect's words, e.g. openai/gpt-5")
    how.add_argument(
        "--command", dest="program", help="a program that reads the conversation and writes one reply"
    )
    how.add_argument("--recorded", action="store_true", help="it plays through MCP, Inspect or Python")
    how.add_argument("--fake", metavar="SCRIPT", help="a scripted model, for a try without a model")
    parser.add_argument("--key", metavar="VARIABLE", help="the environment variable that holds the key")
    parser.add_argument("--attempts", type=int, default=1, metavar="N", help="episodes a task (default: 1)")
    parser.add_argument(
        "--no-request", action="store_true", help="write the entry without trying a request first"
    )
    add_config(parser)


def main(args: argparse.Namespace) -> int:
    """Try one request, then write the entry; returns 0."""
    config = load(args.config)
    if args.name in config.agents or args.name in config.judges:
        raise UnknownName(
            f"{config.project.agents} has an entry {args.name} already", "choose another name, or edit it"
        )
    entry = _entry(config, args)
    if not args.no_request and not args.recorded:
        _try(config, args.name, _validated(args.name, entry))
    _append(config.project.agents, args.name, entry, args.config)
    print(f"{config.project.agents}: the entry {args.name} is written")
    if args.recorded:
        print(f"next: assay run PROGRAM suite/set --record {args.name}, assay mcp or assay import")
    else:
        print(f"next: assay record {args.name} --dry-run")
    return 0


def _entry(config: Config, args: argparse.Namespace) -> dict[str, Any]:
    suites: dict[str, list[str]] = {}
    for name in args.sets.split(","):
        suite, task_set = checked_set(config, name, args.config)
        suites.setdefault(suite.suite.name, []).append(task_set)
    transport: dict[str, Any]
    if args.model:
        transport = {"kind": "provider", "model": args.model}
    elif args.program:
        transport = {"kind": "command", "command": words_of(args.program)}
    elif args.fake:
        transport = {"kind": "fake", "script": args.fake}
    else:
        transport = {"kind": "recorded"}
    access = {"access": {"key": args.key}} if args.key else {}
    return {"kind": "model", "suites": suites, "attempts": args.attempts, "transport": transport, **access}


def _validated(name: str, entry: dict[str, Any]) -> ModelEntry:
    try:
        return ModelEntry.model_validate(entry)
    except ValueError as problem:
        raise ConfigError(f"the entry {name} is not valid: {problem}", "correct the options") from problem


def _try(config: Config, name: str, entry: ModelEntry) -> None:
    """Send one short request, and print the reply."""
    if (missing := configured.missing_key(name, entry)) is not None:
        raise missing
    suite, sets = next(iter(entry.suites.items()))
    player = configured.player(entry, config.suites[suite].suite.find("tasks", "SETS", sets[0]))
    identity = Identity(name, suite, sets[0], "request", 0)
    conversation = Conversation("You are asked whether you can be reached.", ())
    conversation.add(Message("user", (QUESTION,)))
    try:
        transport = connect(player, identity, MemoryBlobs(), configured.endpoint(entry))
        reply = transport.ask(conversation.request())
    except TransportError as problem:
        raise ConfigError(
            f"{name} did not answer: {problem.message}",
            "correct the options or the key; --no-request writes the entry all the same",
        ) from problem
    finally:
        disconnect()
    shown = textwrap.shorten(reply.text, 200) or f"(no text, {len(reply.calls)} calls)"
    print(f"{name} answers: {shown} ({reply.tokens_in} tokens read, {reply.tokens_out} written)")


def _append(file: Path, name: str, entry: dict[str, Any], config: Path) -> None:
    """Append an entry to the text of the agents' file, whose comments stay as they are.

    Raises:
        ConfigError: If the file does not end with the mapping `agents`, or the new text is not valid.
    """
    before = file.read_text(encoding="utf-8")
    text = yaml.safe_dump({name: entry}, default_flow_style=None, sort_keys=False, width=1000)
    after = before.rstrip() + "\n" + textwrap.indent(text, _indent(before))
    try:
        known, read = yaml.safe_load(before), yaml.safe_load(after)
    except yaml.YAMLError:
        read = None
    if read is None or read != {**known, "agents": {**known["agents"], name: entry}}:
        raise ConfigError(
            f"the entry cannot be appended to {file}, because the file does not end with its list of agents",
            f"add it below `agents`:\n{textwrap.indent(text, '  ')}",
        )
    write_whole(file, after)
    try:
        load(config)
    except AssayError:
        write_whole(file, before)
        raise


def _indent(text: str) -> str:
    """Return the indentation of the entries below `agents`.

    Example:
        >>> _indent("agents:\\n    one: {}\\n")
        '    '
    """
    lines = text.partition("\nagents:" if not text.startswith("agents:") else "agents:")[2].splitlines()
    entry = next((line for line in lines[1:] if line.strip() and not line.lstrip().startswith("#")), "  ")
    return entry[: len(entry) - len(entry.lstrip())] or "  "
