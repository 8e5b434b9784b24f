"""A scripted model that runs a lab of pilab with blocks of code, and that uses only the text it is shown.

Each month it does what a simple language model would do: it looks at the dashboard and the news, hires, puts
idle people on the topic with the most news, polishes and submits drafts, writes proposals, answers events,
counts with SQL and keeps notes. If a month has several turns, it ends the month in a separate turn, and now
and then its first reply of a month contains no code.
"""

from __future__ import annotations

from pathlib import Path

from assay.agents.transport import Request
from assay.numbers.rng import Stream

DATA_FILES = ("../data/plan.txt",)
PLAN = (Path(__file__).parent / DATA_FILES[0]).read_text(encoding="utf-8")
"""The block of code that the model sends each month."""


def play(request: Request, stream: Stream) -> str:
    """Return the next reply: the plan for the month, or the call that ends the month if the plan was sent."""
    replies = [str(message.parts[0]) for message in request.messages if message.role == "assistant"]
    if any(PLAN in text for text in replies):
        return "That is all for this month.\n\n```python\nnext_month()\n```"
    if not replies and "you have one turn" not in request.system and stream.below(10) == 0:
        return "Let me think about what this month should bring."
    return f"Here is what I do this month.\n\n```python\n{PLAN}```"
