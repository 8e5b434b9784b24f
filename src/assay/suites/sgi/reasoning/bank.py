"""All templates of scenes, by name, and by the cell of image type and type of reasoning."""

from __future__ import annotations

from collections.abc import Mapping

from assay.suites.sgi.reasoning.templates import (
    experiment,
    observation,
    process,
    simulation,
    visualization,
)
from assay.suites.sgi.reasoning.templates.template import Template

TEMPLATES: tuple[Template, ...] = (
    *process.TEMPLATES,
    *observation.TEMPLATES,
    *experiment.TEMPLATES,
    *simulation.TEMPLATES,
    *visualization.TEMPLATES,
)

BY_NAME: Mapping[str, Template] = {template.name: template for template in TEMPLATES}

IMAGE_TYPES = ("process", "observation", "experiment", "simulation", "visualization")
TYPES = ("signal perception", "attribute understanding", "comparative reasoning", "causal reasoning")


def fitting(image_type: str, kind: str) -> list[Template]:
    """The templates of a cell."""
    return [t for t in TEMPLATES if (t.image_type, t.type) == (image_type, kind)]
