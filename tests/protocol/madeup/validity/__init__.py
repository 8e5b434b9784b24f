"""How the scores of this suite are read."""

from assay.protocol import Yardstick

YARDSTICK = Yardstick(scale=1.0, chance=("guess",), ceiling=1.0, notes={"": "urns are made up"})
