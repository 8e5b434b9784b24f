"""A solver's client of the world: what its brief says, and the calls of tools that scripted agents share."""

from __future__ import annotations

from typing import Any

from assay.protocol import Brief, Call
from assay.suites.collider.formats.histogram import Binning, write
from assay.suites.collider.generators import mock
from assay.suites.collider.solving import mock_analysis
from assay.suites.collider.solving.mock_analysis import SCRIPT

EVENTS = 2000
"""Events of a sample, where a solver asks for no other number."""


class Client:
    """What a solver reads in its brief, and calls of the tools that it may use."""

    def __init__(self, brief: Brief, call: Call) -> None:
        parts: list[Any] = list(brief.parts)
        self.file: str = parts[2]["file"]
        self.template: str = parts[2]["template"]
        self.facts: dict[str, Any] = parts[3]
        self.binning = Binning.from_json(self.facts["histogram"])
        self.generates = "mass" in self.facts
        self.call = call

    def submit(self, values: list[float | None]) -> None:
        """Write numbers into the template by hand, and finish."""
        self.call("write_file", {"path": self.file, "text": write(self.binning, values)})
        self.call("check_submission", {})
        self.call("finish", {})

    def rate(self) -> float:
        """The kept cross section of a mock point, in fb."""
        asked = {"process": mock.PROCESS, "mass": self.facts["mass"]}
        shown: Any = self.call("cross_section", asked).parts[0]
        xsec_fb: float = shown["xsec_fb"]
        return xsec_fb

    def generate(self, seed: int, events: int = EVENTS, name: str = "gen", mass: int | None = None) -> None:
        """Make a sample of the mock point, or of another one."""
        mass = self.facts["mass"] if mass is None else mass
        card = {"generator": mock.NAME, "point": mock.point(mass), "mass": mass}
        self.call("generate", {"name": name, "card": card, "seed": seed, "events": events})

    def analyse(self, xsec_fb: float, events: int = EVENTS, **other: Any) -> None:
        """Write the analysis script and run it."""
        values = mock_analysis.parameters(self.facts, self.file, xsec_fb, events) | other
        self.call("write_file", {"path": SCRIPT, "text": mock_analysis.source(values)})
        self.call("run_analysis", {"script": SCRIPT, "inputs": [values["sample"]]})
