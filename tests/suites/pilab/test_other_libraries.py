"""Another C library moves the last digits of hotness and of IMPACT, and nothing that enters a table."""

from __future__ import annotations

import math
import types

import pytest

from assay.numbers import portable
from assay.suites.pilab.environment import field
from assay.suites.pilab.experiments.runs import POLICIES, play
from assay.suites.pilab.lab import funding, papers, people, projects
from assay.suites.pilab.measures.records import DIGITS, record


def other_library() -> types.SimpleNamespace:
    """The functions of fdlibm in the place of this machine's; NumPy and powers keep their own."""
    library = types.SimpleNamespace(**{name: getattr(math, name) for name in dir(math) if name[0] != "_"})
    library.exp = lambda x: float(portable.exp(float(x)))
    library.log = lambda x: float(portable.log(float(x)))
    library.log1p = lambda x: float(portable.log1p(float(x)))
    library.sin = lambda x: float(portable.sincos(float(x))[0])
    return library


def forget() -> None:
    """Fields are kept from run to run."""
    field.trajectory.cache_clear()
    field.history.cache_clear()
    field.conferences.cache_clear()


@pytest.mark.parametrize("policy", ["baseline", "oracle", "steward"])
def test_what_is_recorded_survives_another_library(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = (101, 104, 106)
    first = [play(POLICIES[policy], seed) for seed in seeds]
    for module in (field, funding, papers, people, projects):
        monkeypatch.setattr(module, "math", other_library())
    forget()
    second = [play(POLICIES[policy], seed) for seed in seeds]
    forget()
    assert any(a.field.trajectory != b.field.trajectory for a, b in zip(first, second, strict=True))
    for a, b in zip(first, second, strict=True):
        assert round(papers.impact(a), DIGITS) == round(papers.impact(b), DIGITS)
        assert record(a, 60) == record(b, 60)
        assert a.news == b.news
