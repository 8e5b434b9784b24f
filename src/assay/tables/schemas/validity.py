"""The table of the stage `validity`: the card of each task set."""

from assay.tables.schema import Column, Schema

ABILITIES = (0, 25, 50, 75, 100)
"""The planted abilities, in per cent of inferences that are right."""

VALIDITY = Schema(
    "validity",
    1,
    (
        Column("task_set", "string", "the set"),
        Column("tasks", "int64", "tasks of the set"),
        Column(
            "chance", "float64", "mean score of chance; null where no agent plays by chance", nullable=True
        ),
        Column(
            "shortcut",
            "float64",
            "best mean score of a shortcut: a solver that does not do what the set measures",
            nullable=True,
        ),
        Column("shortcut_agent", "string", "that shortcut; empty where none played the whole set"),
        Column("shortcut_low", "float64", "lower end of the 95 % interval of its mean", nullable=True),
        Column("shortcut_high", "float64", "upper end of the 95 % interval of its mean", nullable=True),
        Column(
            "honest",
            "float64",
            "best mean score of a reference solver or recorded model that was not told the truth",
            nullable=True,
        ),
        Column("honest_agent", "string", "that agent; empty where none played the whole set"),
        Column("ceiling", "float64", "the best score that can be had", nullable=True),
        *(
            Column(
                f"able_{share}",
                "float64",
                f"mean score of a sound method with {share} % of its inferences right; null where not played",
                nullable=True,
            )
            for share in ABILITIES
        ),
        Column(
            "resolution",
            "int64",
            "tasks at which every two neighbouring abilities are told apart with 80 % power, paired; null "
            "where the abilities did not play or are not told apart",
            nullable=True,
            unit="tasks",
        ),
        Column(
            "public_less_fresh",
            "float64",
            "score in the public set less that in fresh tasks; null where not measured",
            nullable=True,
        ),
        Column("fresh_low", "float64", "lower end of its 95 % interval", nullable=True),
        Column("fresh_high", "float64", "upper end of its 95 % interval", nullable=True),
        Column("fresh_p", "float64", "two-sided p of its being zero", nullable=True),
        Column(
            "gameable",
            "bool",
            "whether the best shortcut less one standard error lies over 5 % of the scale above chance",
        ),
        Column("scale", "float64", "length of the score's scale", nullable=True),
        Column("note", "string", "what a reader must know; empty: nothing"),
    ),
    key=("task_set",),
    doc="One row a task set: whether its score can be had without the science, and how finely it measures.",
    agents=("shortcut_agent", "honest_agent"),
)
