"""How the scores of this suite are read on the cards of its sets."""

from assay.protocol import Yardstick

YARDSTICK = Yardstick(
    scale=None,
    chance=("do-nothing",),
    notes={"": "the scale reaches from do-nothing to the best reference policy; a score has no upper bound"},
)
