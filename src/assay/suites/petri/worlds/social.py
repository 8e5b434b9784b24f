"""social: opinions that move only towards near ones; the targets are their clusters and polarization."""

from __future__ import annotations

from assay.suites.petri.worlds.model import Parameter, Role, World

SOCIAL = World(
    name="social",
    metrics=("clusters", "polarization", "mean", "largest", "extremity"),
    targets={"L1": "clusters", "L2": "clusters", "L3": "polarization"},
    parameters=(
        Parameter(
            "n_agents",
            200,
            legal=(60, 400),
            domain=(50, 500),
            decimals=0,
            decoys=(100, 150, 300),
        ),
        Parameter(
            "epsilon",
            0.16,
            legal=(0.08, 0.25),
            domain=(0.03, 0.6),
            decimals=4,
            tests={"-": 0.115, "+": 0.24},
            blind=0.63,
        ),
        Parameter(
            "mu",
            0.3,
            legal=(0.05, 0.5),
            domain=(0.02, 0.5),
            decimals=3,
            decoys=(0.1, 0.2, 0.45),
        ),
        Parameter(
            "noise",
            0.0005,
            legal=(0.0, 0.01),
            domain=(0.0, 0.02),
            decimals=5,
            tests={"+": 0.004},
            decoys=(0.0002, 0.001),
            blind=0.28,
        ),
        Parameter(
            "stubborn",
            0.0,
            legal=(0.0, 0.09),
            domain=(0.0, 0.3),
            decimals=4,
            tests={"+": 0.065},
            blind=0.44,
        ),
        Parameter(
            "media",
            0.002,
            legal=(0.0, 0.1),
            domain=(0.0, 0.2),
            decimals=4,
            tests={"+": 0.02},
            blind=0.26,
        ),
        Parameter(
            "media_pos",
            0.5,
            legal=(0.0, 1.0),
            domain=(0.0, 1.0),
            decimals=3,
            decoys=(0.3, 0.7),
        ),
        Parameter(
            "locality",
            0.0,
            legal=(0.0, 0.9),
            domain=(0.0, 1.0),
            decimals=3,
            decoys=(0.3, 0.6),
        ),
        Parameter(
            "spread",
            1.0,
            legal=(0.4, 1.0),
            domain=(0.2, 1.0),
            decimals=3,
            tests={"-": 0.4},
            blind=0.22,
        ),
    ),
    roles={
        "polarization": {
            "epsilon": Role(tests={"-": 0.12, "+": 0.2}, blind=0.76),
            "mu": Role(decoys=(0.2, 0.4)),
            "noise": Role(tests={"+": 0.009}, blind=0.41),
            "stubborn": Role(tests={"+": 0.04}, blind=0.83),
            "media": Role(tests={"+": 0.02}, blind=0.57),
            "media_pos": Role(tests={"-": 0.0, "+": 1.0}, decoys=(0.4, 0.6), blind=0.4),
            "locality": Role(decoys=(0.1, 0.3)),
            "spread": Role(tests={"-": 0.8}, blind=0.9),
        },
    },
)
