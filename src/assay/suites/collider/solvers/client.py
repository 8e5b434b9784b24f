"""The client of the world for solvers: the brief in parts, and calls of tools that solvers share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Json
from assay.suites.collider.formats.histogram import Binning, write
from assay.suites.collider.generators import mock
from assay.suites.collider.tools import scripts

Act = Callable[[Brief, Call, Stream, Any], None]
"""A function that plays an episode.

Its arguments are the brief, the harness, random numbers, and the task's hidden part for privileged solvers.
"""

EVENTS = 2000
"""Number of events of a sample, unless a solver asks for another."""


class Client:
    """The brief as a solver reads it, and calls of the tools that it may use.

    Attributes:
        file: the path of the submission.
        facts: the facts of the task as the brief has them.
        binning: the bins to fill.
        generates: whether there is a mock signal to generate.
    """

    def __init__(self, brief: Brief, call: Call) -> None:
        parts: list[Any] = list(brief.parts)
        self.file: str = parts[2]["file"]
        self.facts: dict[str, Any] = parts[3]
        self.binning = Binning.from_json(self.facts["histogram"])
        self.generates = "mass" in self.facts
        self.call = call

    def submit(self, values: list[float]) -> None:
        """Write these yields into the template without an analysis, and finish."""
        self.call("write_file", {"path": self.file, "text": write(self.binning, values)})
        self.call("check_submission", {})
        self.call("finish", {})

    def rate(self) -> float:
        """Look up the cross section of the mock point, and return it in fb."""
        result: Any = self.call("cross_section", {"process": mock.PROCESS, "mass": self.facts["mass"]})
        xsec_fb: float = result.parts[0]["xsec_fb"]
        return xsec_fb

    def generate(
        self, stream: Stream, events: int = EVENTS, name: str = "gen", mass: int | None = None
    ) -> None:
        """Generate a sample of the mock point, or of the point of another mass (GeV)."""
        mass = self.facts["mass"] if mass is None else mass
        card = {"generator": mock.NAME, "point": mock.point(mass), "mass": mass}
        self.call("generate", {"name": name, "card": card, "seed": stream.below(2**30), "events": events})

    def analyse(self, **changes: Any) -> None:
        """Look up the rate, and run the analysis of a mock signal; `changes` replace its parameters."""
        values = scripts.mock_parameters(self.facts, self.file, self.rate(), EVENTS) | changes
        self.execute(scripts.mock(values), [values["sample"]])

    def execute(self, source: str, inputs: list[Json], path: str = scripts.SCRIPT) -> None:
        """Write a script and run it."""
        self.call("write_file", {"path": path, "text": source})
        self.call("run_analysis", {"script": path, "inputs": inputs})
