"""Carries out a page of `docs/recipes`: writes its files, applies its changes and runs its commands.

A code block with a title is a file: a `diff` block changes it, any other block is its whole text. A block
`bash` is run in the folder of the checkout and has to succeed. A block `bash` with the title "takes minutes"
is only looked at: the targets of `make` and the commands of `assay` in it have to exist.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs/recipes"

FENCE = re.compile(r'^```(\w+)(?: title="([^"]*)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
SLOW = "takes minutes"

COPIED = (
    "config",
    "docs",
    "src",
    "tasks",
    "tests",
    "workflow",
    "rules",
    "Makefile",
    "Snakefile",
    "pyproject.toml",
)


@dataclass(frozen=True)
class Block:
    """A code block of a page: its language, its title and its text."""

    language: str
    title: str
    text: str


def blocks(page: Path) -> list[Block]:
    """The code blocks of a page, in order."""
    return [Block(*match.groups(default="")) for match in FENCE.finditer(page.read_text(encoding="utf-8"))]


def files(page: Path) -> set[str]:
    """The files that a page writes or changes."""
    return {block.title for block in blocks(page) if block.title and block.language != "bash"}


class Kitchen:
    """A copy of the checkout in which a page is carried out."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True)
        for name in COPIED:
            if (ROOT / name).is_dir():
                ignored = shutil.ignore_patterns("__pycache__", "rescored", "replays")
                shutil.copytree(ROOT / name, root / name, ignore=ignored)
            else:
                shutil.copy(ROOT / name, root / name)
        (root / ".venv").symlink_to(sys.prefix)

    def carry_out(self, page: Path) -> None:
        """Carry out all blocks of a page in order."""
        for block in blocks(page):
            if block.language == "bash":
                check_commands(block) if block.title == SLOW else self.run(block.text)
            elif block.title:
                path = self.root / block.title
                path.parent.mkdir(parents=True, exist_ok=True)
                if block.language == "diff":
                    path.write_text(patched(path.read_text(encoding="utf-8"), block), encoding="utf-8")
                else:
                    assert not path.exists(), f"{block.title} is there already: change it by a diff"
                    path.write_text(block.text, encoding="utf-8")

    def run(self, commands: str) -> str:
        """Run commands of a shell in the copy. Compiled kernels are kept for the next time."""
        steering = re.compile(r"(ASSAY|SNAKEMAKE|PYTEST|NUMBA|PYTHON)")
        environment = {name: text for name, text in os.environ.items() if not steering.match(name)}
        environment |= {
            "PATH": f"{Path(sys.executable).parent}:{environment['PATH']}",
            "PYTHONPATH": "src:.",
            "NUMBA_CACHE_DIR": str(ROOT / ".cache/recipes/numba"),
        }
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", commands],
            cwd=self.root,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, f"{commands}\n{done.stdout}\n{done.stderr}"
        return done.stdout


def patched(text: str, block: Block) -> str:
    """A text with the changes of a `diff` block; what each hunk replaces has to stand there exactly once."""
    for hunk in re.split(r"^@@.*\n", block.text, flags=re.MULTILINE):
        lines = [line or " " for line in hunk.splitlines()]
        if not lines:
            continue
        old = "".join(f"{line[1:]}\n" for line in lines if line[0] in " -")
        new = "".join(f"{line[1:]}\n" for line in lines if line[0] in " +")
        places = re.findall(rf"^{re.escape(old)}", text, re.MULTILINE)
        assert len(places) == 1, f"{block.title} does not have exactly once:\n{old}"
        text = f"\n{text}".replace(f"\n{old}", f"\n{new}")[1:]
    return text


def check_commands(block: Block) -> None:
    """The `make` targets and `assay` commands of a block exist."""
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    commands = {path.stem for path in (ROOT / "src/assay/cli").glob("*.py")}
    commands |= {path.parent.name for path in (ROOT / "src/assay/suites").glob("*/commands.py")}
    commands |= {"freeze", "tasks", "diff", "store", "mcp"}
    for tool, name in re.findall(r"^(?:\w+=\S+ )*(make|assay) (\S+)", block.text, re.MULTILINE):
        known = targets if tool == "make" else commands
        assert name in known, f"there is no `{tool} {name}`"
