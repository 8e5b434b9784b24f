"""How the scores of this suite are read on the cards of its sets."""

from collections.abc import Mapping

from assay.protocol import Yardstick
from assay.suites.pilab.measures.ceilings import means

BEFORE = "the scale reaches from do-nothing to the best reference policy"

PLAN = (
    f"{BEFORE}; the mark is due to shortcut-blind, a list of calls tuned on public worlds that reads "
    "nothing: it has what the economy pays for work as such, and a leader is better than that only by what "
    "its score is above it; the seeds are public since they were revealed, so that who derives them from the "
    "source can compute the future of each world: compare agents on a private set"
)

MOST = "the ceiling is what a search that knows all that is hidden found (table `ceilings`), luck included"

CEILINGS: Mapping[str, float] = means()
"""Mean ceiling over the worlds of each set that was searched."""

KNOWS = (
    "the policy steward is not told the truth about its world, but knows numbers of all worlds that no agent "
    "is shown, such as the bars of venues; learner, in the sets v1, does not"
)

YARDSTICK = Yardstick(
    scale=None,
    chance=("do-nothing",),
    notes={
        **dict.fromkeys(("no-memory-v0", "many-v0", "smoke-v0"), BEFORE),
        "reference-v0": f"{BEFORE}; {KNOWS}; {MOST}",
        "closed-v1": (
            f"{PLAN}; {MOST}; a task that is opened again is the same world (recordings "
            "count openings); unpaid managers and other exploits of a leading policy gain nothing, see "
            "docs/pilab.md; planted abilities are told the seed to read from a copy of their lab, and use "
            "nothing hidden of it"
        ),
        "as-published-v1": (
            f"{PLAN}; {MOST}; the loopholes of the published program are open, as far as its "
            "agents could reach them"
        ),
    },
)
