"""How the scores of this suite are read on the cards of its sets."""

from assay.protocol import Yardstick

YARDSTICK = Yardstick(
    scale=1.0,
    chance=("shortcut-dummy",),
    ceiling=1.0,
    notes={
        "": "chance is a graph and a prediction drawn by chance (shortcut-dummy); not every episode of the "
        "released world can be solved, so the ceiling lies above what can be reached",
    },
)
