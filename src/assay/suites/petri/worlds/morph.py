"""morph: two substances that react and spread until spots, stripes or nothing are left."""

from __future__ import annotations

from assay.suites.petri.worlds.model import Parameter, World

MORPH = World(
    name="morph",
    metrics=("blobs", "coverage", "mean_v", "perimeter", "largest"),
    targets={"L1": "blobs", "L2": "blobs", "L3": "blobs"},
    parameters=(
        Parameter(
            "feed",
            0.035,
            legal=(0.031, 0.038),
            domain=(0.005, 0.08),
            decimals=5,
            tests={"-": 0.0335, "+": 0.037},
            blind=0.84,
        ),
        Parameter(
            "kill",
            0.062,
            legal=(0.06, 0.0635),
            domain=(0.03, 0.075),
            decimals=5,
            tests={"-": 0.0612, "+": 0.0626},
            blind=0.89,
        ),
        Parameter(
            "du",
            0.16,
            legal=(0.145, 0.2),
            domain=(0.08, 0.2),
            decimals=4,
            tests={"-": 0.147, "+": 0.19},
            decoys=(0.165,),  # 0.17 is seen in one experiment of seven
            blind=0.39,
        ),
        Parameter(
            "dv",
            0.08,
            legal=(0.06, 0.088),
            domain=(0.02, 0.1),
            decimals=4,
            tests={"+": 0.086},
            decoys=(0.07, 0.075),
            blind=0.20,
        ),
        Parameter("noise", 0.05, legal=(0.0, 0.1), domain=(0.0, 0.1), decimals=3, decoys=(0.02, 0.08)),
        Parameter(
            "n_spots",
            20,
            legal=(8, 32),
            domain=(1, 40),
            decimals=0,
            tests={"-": 10, "+": 31},
            blind=0.54,
        ),
        Parameter("spot_size", 5, legal=(3, 8), domain=(1, 8), decimals=0, decoys=(3, 4, 7)),
    ),
)
