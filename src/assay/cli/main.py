"""The command `assay`. Each subcommand is defined in the module that does its work.

A suite can add a subcommand of its own, `assay SUITE`, by a module `commands` in its package. Like the module
of every subcommand, it defines `add_arguments(parser)` and `main(args)`. The first line of its docstring is
`` `assay SUITE`: ... ``, and the first indented line is an example. The module is imported only if the
subcommand is chosen.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from assay import __version__
from assay.config.places import is_checkout, not_a_checkout
from assay.errors import AssayError, PlatformError, WriteError


class Command(NamedTuple):
    """A subcommand of `assay`.

    Attributes:
        module: The module that defines `add_arguments(parser)` and `main(args)`.
        help: The description of the subcommand in `--help`.
        example: An example of its use.
        in_project: Whether the subcommand needs a project in the working folder. Commands that only read the
            configuration and tasks do not, because the installed package brings both along.
    """

    module: str
    help: str
    example: str
    in_project: bool = True


COMMANDS = {
    "play": Command(
        "assay.cli.play",
        "play one episode: its log, metrics and flags",
        "assay play petri core-v0/00000 --agent ofat --json",
        in_project=False,
    ),
    "run": Command(
        "assay.cli.daily.run",
        "let an agent of your own play a task set; score, rank and flags at once",
        "assay run my_agent.py:play petri/core-v1 --workers 2",
        in_project=False,
    ),
    "add-agent": Command(
        "assay.cli.daily.add_agent",
        "write an agent's entry into the configuration, once a request shows that it answers",
        "assay add-agent my-model --model openai/gpt-5 --key OPENAI_API_KEY --sets petri/core-v1",
    ),
    "list": Command(
        "assay.cli.daily.listing",
        "suites, task sets, tasks and agents",
        "assay list tasks petri/core-v1",
        in_project=False,
    ),
    "init": Command(
        "assay.cli.daily.init",
        "make a project: configuration, task sets, profiles, and a Snakefile that imports the workflow",
        "assay init my-benchmark",
        in_project=False,
    ),
    "completion": Command(
        "assay.cli.daily.completion",
        "complete commands, options, suites, sets and agents in a shell",
        "assay completion bash",
        in_project=False,
    ),
    "show": Command(
        "assay.cli.show",
        "one episode as a page to read: what happened, the truth, the score, each flag",
        "assay show petri l2-v0 00001-l2-swarm ofat --out episode.html",
        in_project=False,
    ),
    "record": Command(
        "assay.cli.record",
        "let a model play its tasks, and keep what it did",
        "assay record smollm2 --suite petri --dry-run",
    ),
    "submit": Command(
        "assay.cli.submissions.submit",
        "all recordings of an agent in one file, for somebody else's leaderboard",
        "assay submit my-agent --sets petri/core-v0 --out my-agent.assay.tar.zst",
    ),
    "admit": Command(
        "assay.cli.submissions.admit",
        "check a stranger's bundle, execute it again, and admit it where all is well",
        "assay admit my-agent.assay.tar.zst --date 2026-03-01",
    ),
    "ledger": Command(
        "assay.cli.submissions.ledger",
        "what a leaderboard has announced, admitted and removed",
        "assay ledger check",
    ),
    "statement": Command(
        "assay.cli.submissions.statement",
        "check signed statements, and show what they say side by side",
        "assay statement check first.json second.json",
        in_project=False,
    ),
    "judge": Command(
        "assay.cli.judge",
        "ask a judge about episodes that are built, and keep what it said",
        "assay judge second-opinion --suite collider --dry-run",
    ),
    "import": Command(
        "assay.doors.inspect_import",
        "make recordings of a log of Inspect",
        "assay import logs/petri.eval --agent my-model",
    ),
    "export": Command(
        "assay.doors.formats.command",
        "recordings, results and task sets in formats of others (ATIF, Inspect, Harbor, Every Eval Ever)",
        "assay export atif recordings/scripted-scientist/petri/core-v0/00000-l1-swarm.0.jsonl",
        in_project=False,
    ),
    "mcp": Command(
        "assay.doors.mcp",
        "serve one task to a client of the Model Context Protocol",
        "assay mcp petri core-v0/0 --record my-agent --report report.json",
        in_project=False,
    ),
    "replay": Command(
        "assay.cli.replay",
        "execute a recording again and compare",
        "assay replay recordings/scripted-scientist/petri/core-v0/00000-l1-swarm.0.jsonl",
    ),
    "compare": Command(
        "assay.cli.compare",
        "two agents, or all pairs: difference, interval, tests, tasks needed",
        "assay compare ofat random --set petri/core-v0",
        in_project=False,
    ),
    "diff": Command(
        "assay.verdict.comparison",
        "what differs between two results, manifests, tables or recordings",
        "assay diff results ../other/results",
        in_project=False,
    ),
    "validate": Command(
        "assay.cli.validate",
        "compare a suite's worlds with published results",
        "assay validate petri swarm-1 swarm-4",
    ),
    "train": Command(
        "assay.cli.train",
        "train the guessers that measure a suite's sets, and write or compare their files",
        "assay train petri --check",
    ),
    "fresh": Command(
        "assay.cli.fresh",
        "let shortcuts, chance and honest solvers play fresh tasks of a set, and keep their scores",
        "assay fresh causalab main-v1 --tasks 200 --check",
    ),
    "keep": Command(
        "assay.cli.keep",
        "let planted abilities and dear shortcuts play frozen sets, and keep their scores for the cards",
        "assay keep petri core-v1 l3-v1 --check",
    ),
    "verify": Command(
        "assay.cli.verify",
        "compare what is built with the frozen manifest",
        "assay verify --explain results/petri/tasks.parquet",
    ),
    "makespan": Command(
        "assay.build.forecast.makespan",
        "how long the last build, or a larger one, takes on other numbers of cores, and what bounds it",
        "assay makespan 2 16 128",
    ),
    "freeze": Command("assay.verdict.manifest", "make what is built the frozen manifest", "assay freeze"),
    "tasks": Command(
        "assay.sessions.taskfiles",
        "write the files of a task set, frozen or private",
        "ASSAY_SECRET_FILE=secret assay tasks petri core-v0.private",
    ),
    "store": Command(
        "assay.build.store", "look at, check, trim or empty the content store", "assay store info"
    ),
    "sandbox": Command(
        "assay.cli.sandbox",
        "what protects this machine from code that agents write",
        "assay sandbox --check",
        in_project=False,
    ),
    "config": Command("assay.cli.config", "check the configuration, write its schemas", "assay config check"),
}


SUITES = Path(__file__).parents[1] / "suites"


def suite_commands(folder: Path = SUITES) -> dict[str, Command]:
    """Return the subcommands of the suites in a folder, read from the docstrings without importing them."""
    commands = {}
    for path in sorted(folder.glob("*/commands.py")):
        lines = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").splitlines()
        about = lines[0].partition(": ")[2].rstrip(".") if lines else ""
        example = next((line.strip() for line in lines if line.startswith("    ")), "")
        name = path.parent.name
        module = f"assay.suites.{name}.commands"
        commands[name] = Command(module, about or f"the suite {name}", example, in_project=False)
    return commands


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand.

    Args:
        arguments: The command line without the program; by default, that of this process.

    Returns:
        The exit code of the subcommand; that of an `AssayError`, which is printed as two lines; 0 if the
        reader of the output has closed it.
    """
    try:
        code = _run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()  # a failure at exit of the interpreter would have no clear error message
    except AssayError as problem:
        print(problem, file=sys.stderr)
        return problem.exit_code
    except BrokenPipeError:  # the reader of the output has closed it, e.g. `head`
        sys.stderr.close()
        return 0
    except OSError as failure:
        from assay.build.job import REMEDIES

        if failure.errno not in REMEDIES:
            raise
        # Without a file name, writing to standard output has failed. It is redirected to /dev/null, so that
        # flushing the rest at exit does not fail again.
        if failure.filename is None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        place = failure.filename or "standard output"
        print(WriteError(f"{place}: {failure.strerror}", REMEDIES[failure.errno]), file=sys.stderr)
        return WriteError.exit_code
    return code


def _run(arguments: list[str]) -> int:
    chosen = next((word for word in arguments if not word.startswith("-")), None)
    parser, known = parser_of(chosen)
    args = parser.parse_args(arguments)
    command = known[args.command]
    if command.in_project and not is_checkout(Path()):
        raise not_a_checkout()
    code: int = importlib.import_module(command.module).main(args)
    return code


def parser_of(chosen: str | None) -> tuple[argparse.ArgumentParser, dict[str, Command]]:
    """Return the parser of the command line, and the subcommands by name.

    Args:
        chosen: The subcommand whose arguments the parser knows; those of others are not imported.
    """
    parser = argparse.ArgumentParser(prog="assay", description=__doc__.splitlines()[0])
    parser.add_argument("--version", action="version", version=f"assay {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    known = COMMANDS | suite_commands()
    if chosen is not None and (meant := difflib.get_close_matches(chosen, known, n=1)) != [chosen] and meant:
        parser.error(f"argument COMMAND: invalid choice: {chosen!r} (did you mean {meant[0]!r}?)")
    for name, command in known.items():
        sub = commands.add_parser(
            name,
            help=command.help,
            description=command.help,
            epilog=f"example: {command.example}",
        )
        if name == chosen:  # only the chosen module is imported, so that other imports cost no time
            _check_platform()  # on other platforms the import may fail
            importlib.import_module(command.module).add_arguments(sub)
    return parser, known


def _check_platform() -> None:
    if sys.platform != "linux":
        raise PlatformError(
            f"Assay runs on Linux only, this is {sys.platform}",
            "use a Linux machine, a container, or the Windows Subsystem for Linux",
        )


if __name__ == "__main__":
    sys.exit(main())
