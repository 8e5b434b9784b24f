"""How the scores of this suite are read on the cards of its sets."""

from assay.protocol import Yardstick

YARDSTICK = Yardstick(
    scale=100.0,
    chance=("random", "guess"),
    notes={
        "": "the planted abilities are told the truth to know a right inference from a wrong one",
    },
)
