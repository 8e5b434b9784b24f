"""What an agent is told: the rules that are open, and how to act; the numbers of the world stay hidden."""

from __future__ import annotations

from pathlib import Path

from assay.suites.pilab.interface.database import TABLES
from assay.suites.pilab.interface.methods import METHODS

MOST_PRINTED = 6000
"""Characters of printed output that a block's turn shows."""

MOST_MEMORY = 6000
"""Characters of the memory."""

STEPS_OF_A_TURN = 16
"""Single calls that take the place of a turn with code."""

NO_MEMORY = "(The memory is empty. What you write with write_memory is shown here every month.)"

DISABLED = "(The memory is switched off in this run.)"

DATA_FILES = ("../data/prompt.txt",)
SYSTEM = (Path(__file__).parent / DATA_FILES[0]).read_text(encoding="utf-8")
"""The system prompt; names in braces are filled in by `system`."""


def system(months: int, turns: int) -> str:
    """The system prompt of a run of so many months with so many turns each."""
    return SYSTEM.format(
        months=months,
        turns=f"up to {turns} turns" if turns > 1 else "one turn",
        printed=MOST_PRINTED,
        memory=MOST_MEMORY,
        methods="\n".join(f"{method.signature()}  # {method.doc}" for method in METHODS.values()),
        tables=", ".join(TABLES),
    )


def month(number: int, months: int, label: str, memory: str) -> str:
    """The text that begins a month; the dashboard follows."""
    return f"Month {number} of {months} ({label}).\n\nYour memory:\n{memory}\n\nThe dashboard:"
