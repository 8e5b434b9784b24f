"""The suite's figures: who is shown in them."""

from __future__ import annotations

import pandas as pd

from assay.suites.collider.figures import LOOKS, _shown_agents


def test_every_recorded_agent_is_shown_beside_the_solvers() -> None:
    """A model that somebody adds must not be missing because nobody gave it a look."""
    episodes = pd.DataFrame(
        [("flat", "solver"), ("mock-editor", "solver"), ("z-model", "recording"), ("a-model", "recording")],
        columns=["agent", "source"],
    )
    assert _shown_agents({"episodes": episodes}) == [*LOOKS, "a-model", "z-model"]
