"""How the scores of this suite are read on the cards of its sets."""

from assay.protocol import Yardstick

YARDSTICK = Yardstick(
    scale=1.0,
    chance=0.0,
    ceiling=1.0,
    gate=("verdict", "PASSED"),
    notes={
        "": "an episode counts 0 unless the gate says PASSED; public less fresh is not measurable, since "
        "published points do not depend on a seed",
        "cms-v0": "planted abilities are too dear for the physics chain and play mock-v0",
    },
)
