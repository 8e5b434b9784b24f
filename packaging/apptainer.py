"""Writes the definition of the Apptainer image from the Containerfile: `python packaging/apptainer.py`.

Only the instructions that the Containerfile uses are known; any other one is an error, so that none is lost.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "Containerfile"
TARGET = ROOT / "Apptainer.def"

HEAD = "# Written from Containerfile by packaging/apptainer.py; edit that file. See docs/container.md."


def instructions(text: str) -> list[tuple[str, str]]:
    """Return the instructions of a Containerfile with their arguments, continued lines joined.

    Example:
        >>> instructions("# a comment\\nRUN one \\\\\\n    && two\\n")
        [('RUN', 'one && two')]
    """
    joined: list[str] = []
    open_line = False
    for line in text.splitlines():
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        part = words.removesuffix("\\").strip()
        if open_line:
            joined[-1] += f" {part}"
        else:
            joined.append(part)
        open_line = words.endswith("\\")
    return [(name, rest.strip()) for name, _, rest in (line.partition(" ") for line in joined)]


def definition(text: str) -> str:
    """Return the Apptainer definition of a Containerfile.

    Commands and variables keep their order in `%post`, because a variable that is set after
    a command must not hold for it.

    Args:
        text: The Containerfile. Its `FROM` names a build argument.

    Raises:
        ValueError: If it has an instruction or a form that is not known.
    """
    base, folder, files, post, environment, entry = "", "/", [], [], [], ([], [])
    for name, rest in instructions(text):
        match name:
            case "ARG" if "=" not in rest:
                pass  # Apptainer asks for an argument without default where it is used.
            case "FROM" if rest.startswith("${") and rest.endswith("}"):
                base = f"{{{{ {rest[2:-1]} }}}}"
            case "ENV":
                variable, _, value = rest.partition("=")
                post.append(line := f"export {variable}={shlex.quote(value)}")
                environment.append(line)
            case "WORKDIR":
                folder = rest
                post.append(f"cd {rest}")
            case "COPY":
                files.append(rest)
            case "RUN":
                post.append(rest.replace(" && ", " \\\n    && "))
            case "ENTRYPOINT":
                entry[0].extend(json.loads(rest))
            case "CMD":
                entry[1].extend(json.loads(rest))
            case _:
                raise ValueError(f"Containerfile: no rule for {name} {rest}")
    program, arguments = (" ".join(map(shlex.quote, words)) for words in entry)
    run = [
        f"cd {folder}",
        f'if [ "$#" -eq 0 ]; then set -- {arguments}; fi',
        f'exec {program} "$@"',
    ]
    sections = {"files": files, "post": ["set -eu", *post], "environment": environment, "runscript": run}
    lines = [HEAD, "Bootstrap: docker", f"From: {base}"]
    for name, body in sections.items():
        lines += ["", f"%{name}", *(f"    {line}" for line in body)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TARGET.write_text(definition(SOURCE.read_text(encoding="utf-8")), encoding="utf-8")
