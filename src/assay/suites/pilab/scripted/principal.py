"""A scripted model that runs a lab of pilab with blocks of code, from the text it is shown alone.

It does what a plain model does each month: look at the dashboard and the news, hire, put idle people on the
topic of the day, polish and submit drafts, write proposals, answer events, count with SQL, keep notes. Where
a month has several turns it ends the month in a turn of its own, and now and then forgets the code.
"""

from __future__ import annotations

from pathlib import Path

from assay.agents.transport import Request
from assay.numbers.rng import Stream

DATA_FILES = ("../data/plan.txt",)
PLAN = (Path(__file__).parent / DATA_FILES[0]).read_text(encoding="utf-8")
"""The block of code that it sends each month."""


def play(request: Request, stream: Stream) -> str:
    """The next reply: a plan for the month, and then its end."""
    replies = [str(message.parts[0]) for message in request.messages if message.role == "assistant"]
    if any(PLAN in text for text in replies):
        return "That is all for this month.\n\n```python\nnext_month()\n```"
    if not replies and "you have one turn" not in request.system and stream.below(10) == 0:
        return "Let me think about what this month should bring."
    return f"Here is what I do this month.\n\n```python\n{PLAN}```"
