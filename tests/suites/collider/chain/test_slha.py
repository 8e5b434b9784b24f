"""SLHA files of signal points, written and read back; points by their names."""

from __future__ import annotations

import pytest

from assay.errors import UnknownName
from assay.suites.collider.chain.signal import points, slha
from assay.suites.collider.chain.signal.slha import Channel, SlhaError, Spectrum
from assay.suites.collider.problems import catalogue
from assay.suites.collider.problems.sets import SETS


@pytest.mark.parametrize("name", points.PUBLISHED)
def test_decays_are_read_back_as_they_were_written(name: str) -> None:
    spectrum = points.point(name).spectrum
    decays = slha.read_decays(slha.write(spectrum), name)
    assert {number: decays[number] for number in spectrum.decays} == spectrum.decays
    assert all(not decays[number][1] for number in set(decays) - set(spectrum.decays))


def test_the_published_points_are_those_of_the_tasks() -> None:
    tasks = {entry.id: entry.point for entry in (*catalogue.cms(), *catalogue.atlas())}
    zero_lepton = SETS["atlas-jets-v0"].params["only"]
    asked = {point for name, point in tasks.items() if name in zero_lepton or not name.startswith("atlas")}
    assert asked == set(points.PUBLISHED)


def test_gluinos_of_t5wg_give_no_one_or_two_photons_as_1_to_2_to_1() -> None:
    """With q q N1 and q q' C1 at a half each, pairs are mixed in half of the events."""
    _, channels = points.point("T5Wg_1600_100").spectrum.decays[points.GLUINO]
    neutral = sum(channel.ratio for channel in channels if points.N1 in channel.daughters)
    plus = sum(channel.ratio for channel in channels if points.C1 in channel.daughters)
    minus = sum(channel.ratio for channel in channels if -points.C1 in channel.daughters)
    assert (neutral, plus, minus) == (0.5, 0.25, 0.25)


def test_a_wino_stands_where_it_is_wanted() -> None:
    lines = slha.write(Spectrum({points.N1: 700.0}, wino=1)).splitlines()
    first = lines.index("BLOCK NMIX") + 1
    assert [line.split()[2] for line in lines[first : first + 2]] == ["0.00000000e+00", "1.00000000e+00"]


def test_ratios_that_do_not_add_up_are_refused() -> None:
    decays = {points.C1: (0.01, (Channel(0.5, (points.N1, 24)), Channel(0.4, (points.N2, 24))))}
    with pytest.raises(SlhaError, match=r"particle 1000024 add up to 0\.9"):
        slha.write(Spectrum({points.C1: 100.0}, decays))
    text = "DECAY 1000022 0.01\n  0.7  2  1000039  22  # half\n  0.2  2 1000039 23\n"
    with pytest.raises(SlhaError, match=r"mine\.slha: .* 1000022 add up to 0\.9"):
        slha.read_decays(text, "mine.slha")


@pytest.mark.parametrize(
    "text",
    [
        "DECAY 1000022\n",
        "DECAY 1000022 x\n",
        "DECAY 1000022 1\n 1.0 2 1000039\n",
        "DECAY 1000022 1\n -1.0 2 1000039 22\n",
        "DECAY 1000022 1\n nan 2 1000039 22\n",
    ],
)
def test_what_is_no_decay_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(SlhaError, match="mine, line"):
        slha.read_decays(text, "mine")


def test_a_negative_width_is_refused() -> None:
    with pytest.raises(SlhaError, match=r"the width -1\.0"):
        slha.read_decays("DECAY 1000022 -1\n 1.0 2 1000039 22\n", "mine")


@pytest.mark.parametrize(
    "name", ["", "T2tt", "T2tt_1000", "T2tt_50_1000", "T2tt_1000_x", "T9_1_2", "T2tt_nan_1"]
)
def test_what_is_no_point_is_refused(name: str) -> None:
    with pytest.raises(UnknownName, match="is no signal point"):
        points.point(name)
