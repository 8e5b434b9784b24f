"""The pictures of an item, drawn from its scene."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def pictures(row: Mapping[str, Any]) -> list[bytes]:
    """The PNG files of an item's images, in order."""
    # Drawing loads matplotlib: a second of each job, and most draw nothing.
    from assay.suites.sgi.reasoning import png
    from assay.suites.sgi.reasoning.drawing import drawn

    return [png.encoded(drawn(image)) for image in row["x_scene"]]
