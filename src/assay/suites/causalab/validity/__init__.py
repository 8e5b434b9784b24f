"""How the scores of this suite are read on the cards of its sets."""

from assay.protocol import Yardstick

_RELEASED = (
    "chance is a graph and a prediction drawn by chance (shortcut-dummy); not every episode of the released "
    "world can be solved, so the ceiling lies above what can be reached"
)

_SEALED = (
    "chance is the best guess from the declared prior, the records and the reactor's properties, without "
    "an intervention (shortcut-prior), since attacks are measured by what they add to it; a graph drawn by "
    "chance scores less (shortcut-dummy)"
)

_ATTACKED = (
    f"{_SEALED}; eight attacks that scored less than the best shortcut in these tasks are played on fresh "
    "tasks alone"
)

YARDSTICK = Yardstick(
    scale=1.0,
    chance=("shortcut-prior", "shortcut-dummy"),
    ceiling=1.0,
    notes=dict.fromkeys(
        ("main-v0", "scaling-v0", "variants-v0", "conduct-v0", "embodied-v0", "beyond-v0", "smoke-v0"),
        _RELEASED,
    )
    | dict.fromkeys(("scaling-v1", "variants-v1", "beyond-v1", "prompts-v1"), _SEALED)
    | dict.fromkeys(("main-v1", "embodied-v1"), _ATTACKED),
)
