"""How the scores of this suite are read on the cards of its sets."""

from assay.protocol import Yardstick

BEFORE = "the scale reaches from do-nothing to the best reference policy; a score has no upper bound"

PLAN = (
    f"{BEFORE}; the mark is due to shortcut-blind, a list of calls tuned on public worlds that reads "
    "nothing: it has what the economy pays for work as such, and a leader is better than that only by what "
    "its score is above it; the seeds are public since they were revealed, so that who derives them from the "
    "source can compute the future of each world: compare agents on a private set"
)

MOST = "a search that knows all that is hidden found {} on average (table `ceilings`)"

YARDSTICK = Yardstick(
    scale=None,
    chance=("do-nothing",),
    notes={
        **dict.fromkeys(("reference-v0", "no-memory-v0", "many-v0", "smoke-v0"), BEFORE),
        "closed-v1": (
            f"{PLAN}; {MOST.format(11011)}; a task that is opened again is the same world (recordings "
            "count openings); unpaid managers and other exploits of a leading policy gain nothing, see "
            "docs/pilab.md; planted abilities are told the seed to read from a copy of their lab, and use "
            "nothing hidden of it"
        ),
        "as-published-v1": (
            f"{PLAN}; {MOST.format(11982)}; the loopholes of the published program are open, as far as its "
            "agents could reach them"
        ),
    },
)
