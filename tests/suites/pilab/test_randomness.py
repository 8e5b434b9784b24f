"""Keyed generators: NumPy's own numbers, whatever the way to them."""

from __future__ import annotations

import hashlib
import random

import numpy as np
import pytest

from assay.suites.pilab.environment import generators, randomness
from assay.suites.pilab.lab.people import FAMILY, GIVEN
from assay.suites.pilab.lab.recruiting import NAMES, _draw_candidates

VECTORS = [
    (101, "stream|field_traj", 234830491330322483745481414794723855659),
    (101, "prog|PJ001|6", 64159477417825864757470391606082678742),
    (7, "applicants|0", 12286487159801393059710754474703723759),
]


def fresh(seed: int, key: str) -> generators.Generator:
    """The generator of a key, made by NumPy alone."""
    return generators.Official().at(f"{seed}|{key}")


@pytest.mark.parametrize(("seed", "key", "entropy"), VECTORS)
def test_vectors(seed: int, key: str, entropy: int) -> None:
    text = hashlib.sha256(f"{seed}|{key}".encode()).digest()[:16]
    assert int.from_bytes(text, "little") == entropy
    for make in (lambda: fresh(seed, key), lambda: randomness.Randomness(seed).at(key)):
        expected = np.random.default_rng(np.random.SeedSequence(entropy))
        assert make().random(3).tolist() == expected.random(3).tolist()
        assert make().standard_normal(3).tolist() == [
            np.random.default_rng(np.random.SeedSequence(entropy)).standard_normal(3).tolist()[at]
            for at in range(3)
        ]


def test_published_numbers() -> None:
    found = fresh(101, "prog|PJ001|6")
    assert found.random(3).tolist() == [0.6158959819032761, 0.6699955917423113, 0.6289362284275145]
    found = fresh(101, "stream|field_traj")
    assert [found.normal() for _ in range(3)] == [-0.5328382589129459, -2.037093566932481, 2.302956457781897]
    found = randomness.Randomness(7).at("applicants|0")
    drawn = [found.poisson(0.5), found.poisson(3.0), found.poisson(25.0)]
    drawn += [found.integers(30) for _ in range(4)]
    assert drawn == [2, 3, 24, 8, 5, 29, 16]
    assert found.permutation(5).tolist() == [4, 1, 0, 2, 3]
    assert found.choice(8, p=[0.125] * 8) == 5


def test_the_quick_way_is_the_official_one() -> None:
    """Over many keys, with draws of every kind, and after what may be left over of a half-used number."""
    assert isinstance(randomness.source(), generators.Quick)
    chance = randomness.Randomness(12345678901234567890)
    for n in range(500):
        quick, official = chance.at(f"key|{n}"), fresh(chance.seed, f"key|{n}")
        for draw in (
            lambda g: g.integers(30),
            lambda g: g.random(),
            lambda g: g.standard_normal(4).tolist(),
            lambda g: g.poisson([0.3, 4.0, 30.0]).tolist(),
            lambda g: g.integers(30),
        ):
            assert draw(quick) == draw(official)


def test_many_keys_at_once_are_as_many_generators() -> None:
    """Enough keys for every layer of the ziggurat, its wedges and its tail, and for both kinds of Poisson."""
    quick, official = generators.Quick(), generators.Official()
    names = [f"7|report|S001|{n}" for n in range(20_000)]
    found = quick.firsts(names, names)
    assert found == official.firsts(names, names)
    assert max(map(abs, found)) > 3.6541528853610088  # numbers from the tail were among them
    some = names[:300]
    assert quick.uniform_rows(some, 5) == official.uniform_rows(some, 5)
    rates = [[0.0, 0.01, 0.4 * n / 10, 9.99, 10.0, n / 7 + 1] for n in range(300)]
    assert quick.poissons(some, rates) == official.poissons(some, rates)


@pytest.mark.parametrize("source", [generators.Quick, generators.Official])
def test_numbers_drawn_ahead_are_those_of_their_keys(source: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(randomness, "source", source)
    chance = randomness.Randomness(101, months=60)
    for month in (6, 7, 30, 31, 60, 5):
        pace, rivals = chance.monthly("project", "PJ001", month)
        assert pace == fresh(101, f"prog|PJ001|{month}").standard_normal()
        assert rivals == fresh(101, f"scoop|PJ001|{month}").random()
        leaving, crisis = chance.monthly("person", "S001", month)
        assert leaving == fresh(101, f"quit|S001|{month}").random()
        assert crisis == fresh(101, f"crisis|S001|{month}").random()


def test_mean_is_numpys() -> None:
    chance = random.Random(1)
    for n in range(1, 140):
        values = [chance.random() * 10 ** chance.randint(-3, 3) for _ in range(n)]
        assert randomness.mean(values) == float(np.mean(values))


def test_candidates_are_drawn_as_numpy_draws_them() -> None:
    assert (len(set(GIVEN)), len(set(FAMILY))) == (NAMES, NAMES)
    for n in range(50):
        drawn = np.empty((48, 10))
        _draw_candidates(fresh(n, "applicants|0"), drawn)
        theirs = fresh(n, "applicants|0")
        for row in drawn.tolist():
            z, pace = theirs.standard_normal(), theirs.standard_normal()
            u, v = theirs.random(), theirs.random()
            rest = [theirs.standard_normal() for _ in range(4)]
            assert row == [z, pace, u, v, *rest, theirs.integers(30), theirs.integers(30)]
