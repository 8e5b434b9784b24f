"""How the scores of this suite are read on the cards of its sets."""

from assay.protocol import Yardstick

YARDSTICK = Yardstick(
    scale=None,
    chance=("do-nothing",),
    notes={
        "": "the scale reaches from do-nothing to the best reference policy; a score has no upper bound",
        "closed-v1": (
            "the scale reaches from do-nothing to the best reference policy; a task that is opened again is "
            "the same world, and who has seen its course knows more (recordings count openings); "
            "unpaid managers and other exploits of a leading policy gain nothing, see docs/pilab.md"
        ),
        "as-published-v1": (
            "the scale reaches from do-nothing to the best reference policy; the loopholes of the published "
            "program are open, as far as its agents could reach them"
        ),
    },
)
