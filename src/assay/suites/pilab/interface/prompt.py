"""Prompts: the system prompt with the public rules of the lab, and the text that begins each month.

The numbers of the world stay hidden.
"""

from __future__ import annotations

from pathlib import Path

from assay.config import yaml
from assay.suites.pilab.environment.parameters import RULES, Mode
from assay.suites.pilab.interface.database import TABLES
from assay.suites.pilab.interface.methods import offered

MOST_PRINTED = 6000
"""Largest number of characters of a code block's output that the agent is shown."""

MOST_MEMORY = 6000
"""Largest number of characters of the memory."""

STEPS_OF_A_TURN = 16
"""Number of single calls that take the place of one turn with code."""

NO_MEMORY = "(The memory is empty. What you write with write_memory is shown here every month.)"

DISABLED = "(The memory is switched off in this run.)"

DATA_FILES = ("../data/prompt.txt", "../data/prompt-modes.yaml")
SYSTEM = (Path(__file__).parent / DATA_FILES[0]).read_text(encoding="utf-8")
"""The system prompt; names in braces are filled in by `system`."""

PARTS = yaml.read(Path(__file__).parent / DATA_FILES[1])
"""Parts of the system prompt, by mode."""


def system(months: int, turns: int, mode: Mode) -> str:
    """Return the system prompt of a run of `months` months with `turns` turns each."""
    return SYSTEM.format(
        months=months,
        turns=f"up to {turns} turns" if turns > 1 else "one turn",
        printed=MOST_PRINTED,
        memory=MOST_MEMORY,
        methods="\n".join(f"{m.signature()}  # {m.doc}" for m in offered(RULES[mode]).values()),
        tables=", ".join(TABLES),
        **PARTS[mode],
    )


def month(number: int, months: int, label: str, memory: str) -> str:
    """Return the text that begins a month; the dashboard follows it."""
    return f"Month {number} of {months} ({label}).\n\nYour memory:\n{memory}\n\nThe dashboard:"
