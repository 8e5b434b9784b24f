"""The engine morph: golden bits in every mode, the rules, and float64, which gives the same patterns."""

from __future__ import annotations

import numpy as np
import pytest
from tests.suites.petri.machines import for_any_processor, interpreted, sha256

from assay.numbers.rng import GOLDEN, MASK, Stream, mix
from assay.suites.petri.engines import morph
from assay.suites.petri.worlds import MORPH

SEEDS = np.array([1, 2**52 + 1, 2**64 - 1], dtype=np.uint64)

CONFIGS = {
    "control": {},
    "spotted": {"feed": 0.031, "kill": 0.0635, "n_spots": 32, "spot_size": 8},
    "labyrinth": {"feed": 0.038, "kill": 0.06, "dv": 0.06, "noise": 0.0},
    "spread": {"du": 0.2, "dv": 0.088, "n_spots": 8, "spot_size": 3, "noise": 0.1},
}

GOLDEN_BITS = {
    "control": "a0830a8c808c7f088d12284b4770ffd197398fdb35b3b97a690510e2f588710e",
    "spotted": "40e1f0398ed04bbe0206a4e679a1d6ac498a2cb95ea786cb6f7db8902be1f82a",
    "labyrinth": "f13843359dcb6e0ba877114000b87de50cdb0f7ff200299300ab27d36e8b556f",
    "spread": "7424e3aecceb3fdfed5ca309aefcda50f4170fd7c6c7f43c3faefdfd33b45f6b",
}

SHORT = 3
"""Steps of a run that is quick when interpreted."""

SHORT_BITS = "1952a91788d01d838ed897def6ed0ef429f79c0571202ec16fb52ce2b3cbb761"


def parameters(**overrides: float) -> np.ndarray:
    config = MORPH.resolved(overrides)
    return np.array([config[name] for name in morph.PARAMETERS], dtype=np.float64)


def full_bits() -> dict[str, str]:
    """Digests of the raw metrics of full runs."""
    return {
        name: sha256(morph.replicates(parameters(**config), SEEDS, morph.STEPS))
        for name, config in CONFIGS.items()
    }


def short_bits() -> str:
    """Digest of the raw metrics of short runs."""
    return sha256(morph.replicates(parameters(spot_size=7), SEEDS, SHORT))


def test_golden_bits():
    assert full_bits() == GOLDEN_BITS
    assert short_bits() == SHORT_BITS


def test_same_bits_interpreted():
    assert interpreted(__name__, "short_bits()") == SHORT_BITS


@pytest.mark.full  # swarm shows it quickly
def test_same_bits_for_any_processor():
    assert for_any_processor(__name__, "full_bits()") == GOLDEN_BITS


def test_names_agree_with_the_world():
    assert tuple(p.name for p in MORPH.parameters) == morph.PARAMETERS
    assert MORPH.metrics == morph.METRICS


# ------------------------------------------------------------ a plain implementation


def key(seed: int, stream: int) -> int:
    return mix((mix((seed * GOLDEN + 0x1234567) & MASK) + stream * GOLDEN) & MASK)


def start(config: dict[str, float], seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The first fields, in float64."""
    u, v = np.ones((96, 96)), np.zeros((96, 96))
    spots = Stream(key(seed, 1))
    size = np.arange(int(config["spot_size"]))
    for _ in range(int(config["n_spots"])):
        square = np.ix_((spots.below(96) + size) % 96, (spots.below(96) + size) % 96)
        u[square], v[square] = 0.5, 0.25
    noise = Stream(key(seed, 3))
    errors = np.array([noise.uniform() for _ in range(2 * 96 * 96)]).reshape(96, 96, 2)
    return u + config["noise"] * (errors[..., 0] - 0.5), v + config["noise"] * errors[..., 1]


def around(field: np.ndarray) -> np.ndarray:
    return sum(np.roll(field, step, axis) for axis in (0, 1) for step in (1, -1))


def plain_v(config: dict[str, float], seed: int, steps: int) -> np.ndarray:
    """v after some steps of the rules of the module's docstring, in float64."""
    feed, kill = config["feed"], config["kill"]
    u, v = start(config, seed)
    for _ in range(steps):
        reaction = u * v * v
        u, v = (
            u + config["du"] * (around(u) - 4 * u) - reaction + feed * (1 - u),
            v + config["dv"] * (around(v) - 4 * v) + reaction - (feed + kill) * v,
        )
        v[v < 1e-30] = 0.0
    return v


def pieces(covered: np.ndarray) -> list[int]:
    """Sizes of the connected pieces: every cell takes the least label around it, until none changes."""
    bare = 96 * 96
    labels = np.where(covered, np.arange(bare).reshape(96, 96), bare)
    while True:
        least = np.minimum.reduce(
            [labels, *(np.roll(labels, step, axis) for axis in (0, 1) for step in (1, -1))]
        )
        least = np.where(covered, least, bare)
        if (least == labels).all():
            return np.unique(labels[covered], return_counts=True)[1].tolist()
        labels = least


def plain(config: dict[str, float], seed: int, steps: int) -> list[float]:
    v = plain_v(config, seed, steps)
    covered = v > 0.15
    sizes = pieces(covered)
    return [
        sum(size >= 4 for size in sizes),
        covered.mean(),
        v.mean(),
        sum(int((covered & ~np.roll(covered, step, axis)).sum()) for axis in (0, 1) for step in (1, -1)),
        max(sizes, default=0) / max(1, covered.sum()),
    ]


@pytest.mark.parametrize("name", CONFIGS)
def test_the_rules(name):
    """After a few hundred steps rounding to float32 does not show yet."""
    result = morph.replicates(parameters(**CONFIGS[name]), SEEDS[:1], 300)[0]
    assert result == pytest.approx(plain(MORPH.resolved(CONFIGS[name]), 1, 300), rel=1e-4)


SAME_BLOBS = {
    **CONFIGS,
    "least feed": {"feed": 0.031},
    "most kill": {"kill": 0.0635},
    "most du": {"du": 0.2},
    "least dv": {"dv": 0.06},
    "few spots": {"n_spots": 8},
}


def compare_blobs(name: str, seeds: int) -> None:
    result = morph.replicates(parameters(**SAME_BLOBS[name]), np.arange(seeds, dtype=np.uint64), morph.STEPS)
    config = MORPH.resolved(SAME_BLOBS[name])
    wide = [plain_v(config, seed, morph.STEPS) > 0.15 for seed in range(seeds)]
    blobs = [sum(size >= 4 for size in pieces(covered)) for covered in wide]
    assert result[:, 0].tolist() == blobs


@pytest.mark.parametrize("name", CONFIGS)
def test_blobs_are_those_of_float64(name):
    compare_blobs(name, 3)


@pytest.mark.full
@pytest.mark.parametrize("name", SAME_BLOBS)
def test_blobs_are_those_of_float64_in_12_runs(name):
    compare_blobs(name, 12)


def test_what_dies_out_is_zero_and_no_number_is_subnormal():
    washed = parameters()
    washed[:2] = 0.01, 0.06
    least = np.finfo(np.float32).tiny
    for steps in range(0, 801, 20):
        state = morph.evolved(washed, np.uint64(5), steps)
        inner = state.reshape(2, morph.WIDTH, morph.WIDTH)[:, 1:-1, 1:-1]
        u, v = inner
        assert ((v == 0) | (v > morph.VANISHED)).all() or steps == 0
        assert (u > 0).all()
        reaction = u * v * v
        assert ((reaction == 0) | (reaction > least)).all()
    assert (v == 0).all()


def test_pieces_on_the_torus():
    covered = np.zeros((96, 96), dtype=bool)
    covered[0, :2] = covered[-1, :2] = True  # one blob of 4 across the rim
    covered[40, 40:43] = True  # 3 cells: a piece, no blob
    covered[43, 43] = covered[44, 44] = True  # corners do not connect
    covered[60:64, 0] = covered[60:64, -1] = True  # the largest, of 8
    assert morph.pattern(covered.ravel()) == (2, 8, 8 + 8 + 8 + 12)
    assert sorted(pieces(covered)) == [1, 1, 3, 4, 8]
    assert morph.pattern(np.zeros(morph.CELLS, dtype=bool)) == (0, 0, 0)


def test_control_is_as_noisy_as_tasks_need():
    """Weak drivers need a control with a wide spread: a relative standard deviation near an eighth."""
    blobs = morph.replicates(parameters(), np.arange(96, dtype=np.uint64), morph.STEPS)[:, 0]
    assert blobs.mean() == pytest.approx(32.8, abs=1.5)
    assert blobs.std() == pytest.approx(4.0, abs=0.9)


def test_runs_do_not_depend_on_their_company():
    together = morph.replicates(parameters(), SEEDS, SHORT)
    alone = [morph.replicates(parameters(), SEEDS[i : i + 1], SHORT)[0] for i in range(3)]
    assert together.tolist() == [run.tolist() for run in alone]
