"""origin: genomes that are born, err, compete and die."""

from __future__ import annotations

from assay.suites.petri.worlds.model import Parameter, World

ORIGIN = World(
    name="origin",
    metrics=("population", "mean_fitness", "diversity", "distance", "extinct_time"),
    targets={"L1": "population", "L2": "population", "L3": "population"},
    parameters=(
        Parameter(
            "birth",
            0.6,
            legal=(0.42, 0.85),
            domain=(0.05, 1.0),
            decimals=3,
            tests={"-": 0.44, "+": 0.84},
            blind=0.40,
        ),
        Parameter(
            "death",
            0.15,
            legal=(0.105, 0.195),
            domain=(0.01, 0.5),
            decimals=4,
            tests={"-": 0.11, "+": 0.19},
            blind=0.41,
        ),
        Parameter(
            "capacity",
            100,
            legal=(40, 180),
            domain=(20, 1_000_000),
            decimals=0,
            tests={"-": 75, "+": 125},
            blind=0.84,
        ),
        Parameter(
            "mutation",
            0.01,
            legal=(0.0, 0.022),
            domain=(0.0, 0.2),
            decimals=5,
            tests={"-": 0.0, "+": 0.022},
            blind=0.35,
        ),
        Parameter(
            "selection",
            0.06,
            legal=(0.0, 0.4),
            domain=(0.0, 0.5),
            decimals=4,
            tests={"-": 0.0},
            decoys=(0.05, 0.1),
            blind=0.04,
        ),
        Parameter(
            "epistasis",
            0.0,
            legal=(-0.2, 1.0),
            domain=(-0.2, 1.0),
            decimals=3,
            tests={"+": 1.0},
            decoys=(-0.1, 0.1),
            blind=0.40,
        ),
        Parameter(
            "shift_period",
            0,
            legal=(0, 150),
            domain=(0, 200),
            decimals=0,
            tests={"+": 15},
            blind=0.26,
        ),
        Parameter("recomb", 0.0, legal=(0.0, 1.0), domain=(0.0, 1.0), decimals=3, decoys=(0.3, 0.6, 0.8)),
        Parameter("founders", 40, legal=(5, 100), domain=(5, 2000), decimals=0, decoys=(10, 20, 80)),
    ),
)
