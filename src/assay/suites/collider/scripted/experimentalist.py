"""A scripted model that plays collider only from the text that it is shown.

It acts as an average model: it looks up a rate (and learns from a refusal which rates there are), generates,
writes an analysis, repairs it after an error, checks, reports and submits. Sometimes it overlooks that not
all events are visible, which is an honest mistake. Without a generator it says so and submits nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay import canonical
from assay.agents.transport import Message, Request
from assay.numbers.rng import Stream
from assay.suites.collider.formats import documents

EVENTS = 1000
SAMPLE = "gen"
SCRIPT = "analysis/analysis.py"

DATA_FILES = ("../data/model_analysis.py.txt",)


@dataclass
class Conversation:
    """The state of a conversation: the task, and the results and refusals of its calls so far."""

    brief: str
    facts: Mapping[str, Any]
    file: str
    results: dict[str, list[Any]] = field(default_factory=dict)
    refusals: dict[str, str] = field(default_factory=dict)
    last: str = ""  # the tool of the last call
    chatted: bool = False  # whether the last reply had no call; two such replies in a row end a session

    def last_result(self, tool: str) -> Any:
        """Return the result of the last successful call of a tool; None if there was none."""
        return self.results.get(tool, [None])[-1]


def play(request: Request, stream: Stream) -> str:
    notes = _read(request)
    if "generate" not in {tool.name for tool in request.tools}:
        return _without_events(notes)
    if notes.last_result("manual") is None:
        return _say("manual", tool="generate")
    if notes.last_result("cross_section") is None:
        process = re.search(r"kept are (\S+) at", notes.refusals.get("cross_section", ""))
        guess = "pair" if process is None else process[1]
        return _say("cross_section", process=guess, mass=notes.facts["mass"])
    if not notes.chatted and stream.below(12) == 0:
        return "Let me think about the weights before I go on."
    if notes.last_result("generate") is None:
        card = {"generator": "mock", "point": notes.facts["point"], "mass": notes.facts["mass"]}
        return _say("generate", name=SAMPLE, card=card, seed=stream.below(2**30), events=EVENTS)
    runs = notes.results.get("run_analysis", [])
    if not runs or runs[-1]["status"] != "ok":
        if notes.last == "write_file":
            return _say("run_analysis", script=SCRIPT, inputs=[f"data/{SAMPLE}.csv"])
        return _say("write_file", path=SCRIPT, text=_analysis(notes, stream, careless=not runs))
    if notes.last_result("check_submission") is None:
        return _say("check_submission")
    if notes.last == "check_submission":
        return _say("write_file", path="report.md", text=f"{EVENTS} events; {runs[-1]['stdout']}")
    return _say("finish")


def _without_events(notes: Conversation) -> str:
    """Play a task in which nothing can be generated: read the paper, say so in the report, and stop."""
    if notes.last_result("read_paper") is None:
        return _say("read_paper")
    if notes.last_result("simulate") is None:
        return _say("simulate")
    if notes.last_result("write_file") is None:
        text = "There is no generator here, so there is nothing that I could submit honestly.\n"
        return _say("write_file", path="report.md", text=text)
    return "I have no events, and so no prediction."


def _analysis(notes: Conversation, stream: Stream, careless: bool) -> str:
    """Return an analysis script.

    The first one (`careless`) sometimes has a wrong column or forgets which share of events is visible.
    """
    visible = re.search(r"([0-9.]+) % of events are visible", notes.brief)
    forgets = careless and stream.below(4) == 0
    histogram = notes.facts["histogram"]
    numbers = {
        "series": histogram["series"],
        "sample": f"data/{SAMPLE}.csv",
        "n_generated": EVENTS,
        "xsec_fb": notes.last_result("cross_section")["xsec_fb"],
        "lumi_fb": notes.facts["luminosity_fb"],
        "br": 1.0 if visible is None or forgets else float(visible[1]) / 100,
        "filter_eff": 1.0,
    }
    return documents.packaged_text("model_analysis.py.txt").format(
        numbers=numbers,
        edges=histogram["edges"],
        sample=SAMPLE,
        observable=histogram["observable"].lower(),
        column="HT" if careless and stream.below(3) == 0 else "ht",
        least_ht=notes.facts["least_ht"],
        file=notes.file,
    )


def _say(tool: str, /, **arguments: Any) -> str:
    return canonical.dumps({"tool": tool, "arguments": arguments})


def _read(request: Request) -> Conversation:
    """Read the state of a conversation from its messages."""
    first, *others = request.messages
    texts = [part for part in first.parts if isinstance(part, str)]
    facts: dict[str, Any] = {}
    for part in first.parts:
        facts |= part if isinstance(part, dict) else {}
    notes = Conversation("\n".join(texts), facts, facts["file"])
    call: Mapping[str, Any] = {}
    for message in others:
        if message.role == "assistant":
            text = str(message.parts[0])
            call = canonical.loads(text) if text.startswith("{") else {}
            notes.chatted = not call
            notes.last = call.get("tool", notes.last)
        elif call:
            _take(notes, call["tool"], message)
    return notes


def _take(notes: Conversation, tool: str, message: Message) -> None:
    words, *results = message.parts
    if results:
        notes.results.setdefault(tool, []).append(results[0])
    else:
        notes.refusals[tool] = str(words)
