"""The public rules of tasks beyond the paper's families: mechanism, interventions, noise, and their texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from assay.config import data
from assay.suites.causalab.model.mechanism import CYCLIC, INTERACTION, MONOTONE

DATA_FILES = ("../data/beyond.yaml",)
TEXTS: Mapping[str, Any] = data.read(Path(__file__).parent / DATA_FILES[0], dict[str, Any])

Kind = Literal["continuous", "noise", "confounded", "hold", "cyclic", "monotone", "interaction"]
"""The settings: the main setting, and six that each differ from it in one point."""

LIMIT = 1000.0
"""Largest size of a requested value, so that noise and latent causes cannot be drowned."""

NOISE = (2.0, 10.0)
"""Standard deviations of an error of measurement: of a property, and of the frequency (Hz)."""

PRODUCT_DECIMALS = 5
"""Decimals of the weight of a product of two causes."""

INAPPLICABLE: Mapping[str, frozenset[str]] = {
    "continuous": frozenset(),
    "noise": frozenset(
        {"freq_weight_f1", "consistent", "inconsistent_share", "noted_inconsistent_share", "imec_data"}
    ),
    "confounded": frozenset({"imec_data", "imec_targets"}),
    "hold": frozenset({"imec_data"}),
    CYCLIC: frozenset({"imec_data", "imec_targets"}),
    MONOTONE: frozenset({"imec_data"}),
    INTERACTION: frozenset({"freq_weight_f1", "imec_data"}),
}
"""Metrics that say nothing in a setting, and are empty there.

Under noise no equation passes through the data, and weights cannot be had within 1e-6. The counts of graphs
hold for acyclic linear models under shifts (`imec_data`), or for acyclic graphs without latent causes
(`imec_targets`). The F1 of linear weights has no place for products, which `freq_weight_quad` counts.
"""


@dataclass(frozen=True)
class Rules:
    """The public rules of one task."""

    kind: Kind
    limit: float = LIMIT
    property_noise: float = 0.0
    target_noise: float = 0.0

    @property
    def family(self) -> str:
        """The form of the equations."""
        return self.kind if self.kind in (CYCLIC, MONOTONE, INTERACTION) else "linear"

    @property
    def cyclic(self) -> bool:
        return self.kind == CYCLIC

    @property
    def products(self) -> bool:
        return self.kind == INTERACTION

    @property
    def inapplicable(self) -> frozenset[str]:
        """The metrics that are empty."""
        return INAPPLICABLE[self.kind]

    def to_json(self) -> dict[str, Any]:
        """Return the rules as a JSON object."""
        return asdict(self)

    def facts(self) -> dict[str, Any]:
        """Return what the facts of the brief say about the laboratory."""
        facts: dict[str, Any] = {
            "setting": self.kind,
            "interventions": "hold" if self.kind == "hold" else "shift",
            "settable_from": -self.limit,
            "settable_to": self.limit,
        }
        if self.kind == "noise":
            facts |= {"noise_of_properties": self.property_noise, "noise_of_frequency": self.target_noise}
        return facts

    def system(self) -> str:
        """Return the role of the agent."""
        return str(TEXTS["systems"]["cyclic" if self.cyclic else "acyclic"])

    def goal(self) -> str:
        """Return the text that describes the family, the interventions and the stages."""
        way = {"hold": "hold", CYCLIC: "cycle"}.get(self.kind, "shift")
        parts = [TEXTS["equations"][self.family], TEXTS["numbers"], TEXTS["interventions"][way]]
        parts += [TEXTS["range"], TEXTS["notes"].get(self.kind, ""), TEXTS["ending"]]
        parts.append(TEXTS["cycles"] if self.cyclic else "")
        return " ".join(part for part in parts if part)


def rules_of(kind: Kind) -> Rules:
    """Return the rules of a setting."""
    return Rules(kind, LIMIT, *(NOISE if kind == "noise" else (0.0, 0.0)))
