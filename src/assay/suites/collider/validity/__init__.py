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
        **dict.fromkeys(
            ("cms-shape-v0", "cms-yield-v0", "binning-v0", "atlas-v0", "atlas-jets-v0"),
            "the copied table was tried in cms-v0 alone",
        ),
        "cms-v0": "planted abilities are too dear for the physics chain and play mock-v0",
        "objects-v1": "two tasks are too few to tell planted abilities apart, which play mock-v0",
        "objects-alone-v1": "the tasks of objects-v1 without look-ups; the copied table was tried there",
    },
)
