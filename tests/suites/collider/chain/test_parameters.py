"""The table of parameters: each with a source, none without use of its name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.errors import UnknownName
from assay.suites.collider.chain import parameters

SOURCE = Path(parameters.__file__).parent


def test_every_parameter_has_a_source_or_says_what_was_chosen() -> None:
    assert len(parameters.table()) > 50
    assert all(len(parameter.source) > 20 for parameter in parameters.table())


def test_every_parameter_is_used() -> None:
    """A number that nothing reads would look like part of the physics."""
    code = "\n".join(path.read_text() for path in sorted(SOURCE.rglob("*.py")))
    for parameter in parameters.table():
        name = re.sub(r"^(electron|muon) efficiency$", "efficiency", parameter.name)
        assert name in code, parameter


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(UnknownName, match="no jets: colour"):
        parameters.value("jets", "colour")
