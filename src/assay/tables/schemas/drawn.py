"""The schema of a figure's data, i.e. of every mark that the figure shows, in the units of its axes."""

from assay.tables.schema import Column, Schema

DIGITS = 6  # more than a reader can see, and few enough to hide rounding errors of coordinate transformations

DRAWN = Schema(
    "drawn",
    1,
    (
        Column("panel", "int64", "the axes, in the order in which they were made"),
        Column("mark", "int64", "the line, bar, area or set of points within them, counted from 0"),
        Column("point", "int64", "the point within the mark"),
        Column("title", "string", "the panel's title"),
        Column("kind", "string", "line, points, area, bar or cell"),
        Column("series", "string", "its name in the legend; empty: none"),
        Column("x", "float64", "null: across the whole panel", nullable=True, digits=DIGITS),
        Column("y", "float64", "null: across the whole panel", nullable=True, digits=DIGITS),
        Column("x_to", "float64", "the other side of a bar", nullable=True, digits=DIGITS),
        Column("y_to", "float64", "the other side of a bar", nullable=True, digits=DIGITS),
        Column(
            "value", "float64", "what the colour of a cell or point stands for", nullable=True, digits=DIGITS
        ),
        Column("x_name", "string", "the tick at this x; empty: none"),
        Column("y_name", "string", "the tick at this y; empty: none"),
        Column("x_axis", "string", "the label of the axis, with its unit"),
        Column("y_axis", "string", "the label of the axis, with its unit"),
    ),
    key=("panel", "mark", "point"),
    doc="One row a point of a mark.",
)
