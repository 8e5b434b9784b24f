"""How the scores of this suite are read on the cards of its sets."""

from assay.protocol import Yardstick

YARDSTICK = Yardstick(
    scale=100.0,
    chance=("chance",),
    ceiling=100.0,
    notes={
        "": "the planted abilities are told the truth to know a right part of a reply from a wrong one",
        "ideas-v0": "no metric of an idea asks whether it means anything",
    },
)
