"""`assay completion`: what a shell needs to complete commands, options, suites, sets and agents.

Bash: `source <(assay completion bash)`, zsh: `source <(assay completion zsh)`, fish:
`assay completion fish | source`. The scripts ask this command for the words that may follow.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping

from assay.errors import AssayError

SCRIPTS: Mapping[str, str] = {
    "bash": """\
_assay() {
    local words
    words=$(assay completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _assay assay
""",
    "zsh": """\
_assay() { compadd -- ${(f)"$(assay completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)"} || _files }
compdef _assay assay
""",
    "fish": """\
complete -c assay -a '(assay completion words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
""",
}
"""The script of each shell."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `assay completion`."""
    parser.add_argument("shell", choices=(*SCRIPTS, "words"), help="the shell; `words` is for the scripts")
    parser.add_argument("line", nargs="*", help="for `words`: the words of the command line so far")


def main(args: argparse.Namespace) -> int:
    """Print the script of a shell, or the words that may follow; returns 0."""
    if args.shell in SCRIPTS:
        print(SCRIPTS[args.shell], end="")
    else:
        print("\n".join(words(args.line)))
    return 0


def words(line: list[str]) -> list[str]:
    """Return the words that may stand in the last place of a command line, which may be begun already.

    Args:
        line: The words after `assay`; the last one is to be completed and may be empty.
    """
    from assay.cli.main import parser_of

    *before, begun = line or [""]
    parser, known = parser_of(before[0] if before else None)
    if not before:
        return [name for name in known if name.startswith(begun)]
    if before[0] not in known:
        return []
    sub, rest = parser, before
    while rest and (inner := _subparsers(sub).get(rest[0])) is not None:
        sub, rest = inner, rest[1:]
    candidates = [option for each in sub._actions for option in each.option_strings]
    option = next((each for each in sub._actions if rest and rest[-1] in each.option_strings), None)
    if option is not None and option.nargs != 0:
        candidates = _values(option)
    elif not begun.startswith("-"):
        positional = [each for each in sub._actions if not each.option_strings]
        place = sum(not word.startswith("-") for word in rest)
        candidates = _values(positional[min(place, len(positional) - 1)], rest) if positional else []
    return sorted({word for word in candidates if word.startswith(begun)})


def _subparsers(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    """Return the parsers of subcommands by name."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return action.choices
    return {}


def _values(action: argparse.Action, rest: Iterable[str] = ()) -> list[str]:
    """Return the values that an argument can have, as far as the configuration lists them."""
    if action.choices:
        return [str(choice) for choice in action.choices]
    from assay.config.loading import load

    try:
        config = load()
    except AssayError:
        return []
    sets = {name: list(entry.file.sets) for name, entry in config.suites.items()}
    if action.dest == "suite":
        return list(sets)
    if action.dest in ("agent", "first", "second", "beside", "name", "names", "record"):
        return list(config.agents)
    suite = next((word for word in rest if word in sets), None)
    if action.dest in ("task", "task_set") and suite is not None:
        return sets[suite]
    if action.dest in ("task_set", "sets", "within"):
        return [*sets, *(f"{name}/{each}" for name, names in sets.items() for each in names)]
    return []
