"""The engine swarm: golden bits in every mode, and the rules against a plain implementation."""

from __future__ import annotations

import hashlib
import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest

from assay.numbers.rng import GOLDEN, MASK, Stream, mix
from assay.suites.petri.engines import swarm
from assay.suites.petri.worlds import SWARM

SEEDS = np.array([1, 2**52 + 1, 2**64 - 1], dtype=np.uint64)

CONFIGS = {
    "control": {},
    "ordered": {"noise": 0.22, "radius": 1.3, "inertia": 1.1},
    "crowded": {"n_agents": 219, "cohesion": 1.3, "separation": 1.6, "speed": 0.4},
    "led": {"n_agents": 65, "leaders": 0.1, "alignment": 0.3, "noise": 0.6},
}

GOLDEN_BITS = {
    "control": "894b81198a311e01a516046f7766ced519f2560268d84b80607253779a6795ee",
    "ordered": "d834042c95ca07c36613ef58530f2fc2ad9dde14a6fe00da6de9a6597181034f",
    "crowded": "b06602f03635524ec289746921bd985e2c0d99dcb1bd00a2f8f788d371c00041",
    "led": "46c92aece9c3bd4bcce219941cc4c8aacb407159be25fb61c76b7cb1912d930d",
}

SHORT = 6
"""Steps of a run that is quick when interpreted."""

SHORT_BITS = "be852b2c6e38776e78aa36b9f9750f03b1a6b5456d54a039d19fad694c86b4be"


def parameters(**overrides: float) -> np.ndarray:
    config = SWARM.resolved(overrides)
    return np.array([config[name] for name in swarm.PARAMETERS], dtype=np.float64)


def sha256(metrics: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(metrics).tobytes()).hexdigest()


def full_bits() -> dict[str, str]:
    """Digests of the raw metrics of full runs."""
    return {
        name: sha256(swarm.replicates(parameters(**config), SEEDS, swarm.STEPS))
        for name, config in CONFIGS.items()
    }


def short_bits() -> str:
    """Digest of the raw metrics of short runs of few agents."""
    config = {"n_agents": 40, "leaders": 0.1, "cohesion": 1.3}
    return sha256(swarm.replicates(parameters(**config), SEEDS, SHORT))


def test_golden_bits():
    assert full_bits() == GOLDEN_BITS
    assert short_bits() == SHORT_BITS


def elsewhere(call: str, **settings: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", f"from tests.suites.petri.test_swarm import *; print(json.dumps({call}))"],
        env=os.environ | settings | {"PYTHONPATH": os.pathsep.join(["src", "."])},
        capture_output=True,
        check=True,
        text=True,
    )
    return json.loads(done.stdout)


def test_same_bits_interpreted():
    assert elsewhere("short_bits()", NUMBA_DISABLE_JIT="1") == SHORT_BITS


def test_same_bits_for_any_processor():
    settings = {"NUMBA_CPU_NAME": "generic", "NPY_DISABLE_CPU_FEATURES": " ".join(chosen_at_run_time())}
    assert elsewhere("full_bits()", **settings) == GOLDEN_BITS


def chosen_at_run_time() -> list[str]:
    """The instruction sets that NumPy uses here though it was not built for them."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    return [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]


def test_names_agree_with_the_world():
    assert tuple(p.name for p in SWARM.parameters) == swarm.PARAMETERS
    assert SWARM.metrics == swarm.METRICS


# ------------------------------------------------------------ a plain implementation


def key(seed: int, stream: int) -> int:
    return mix((mix((seed * GOLDEN + 0x1234567) & MASK) + stream * GOLDEN) & MASK)


def plain(config: dict[str, float], seed: int, steps: int) -> list[float]:
    """The rules of the module's docstring, agent by agent, with the standard library's functions."""
    n = int(config["n_agents"])
    radius, side = config["radius"], 8.0
    initial = Stream(key(seed, 1))
    x, y, h = [], [], []
    for _ in range(n):
        x.append(side * initial.uniform())
        y.append(side * initial.uniform())
        angle = 2 * math.pi * initial.uniform()
        h.append(complex(math.cos(angle), math.sin(angle)))

    def offset(i: int, j: int) -> complex:
        return complex(
            *((there - here + side / 2) % side - side / 2 for here, there in ((x[i], x[j]), (y[i], y[j])))
        )

    def unit(z: complex) -> complex:
        return z / abs(z) if z else z

    order = []
    for step in range(steps):
        turns = Stream(mix((key(seed, 2) + (step + 1) * GOLDEN) & MASK))
        after = []
        for i in range(n):
            near = [j for j in range(n) if abs(offset(i, j)) < radius]
            zone = 0.4 * radius
            pushing = [offset(i, j) for j in near if abs(offset(i, j)) < zone]
            g = config["inertia"] * h[i] + config["alignment"] * unit(sum(h[j] for j in near))
            g += config["cohesion"] * sum(offset(i, j) for j in near) / len(near) / radius
            g -= config["separation"] * sum(pushing) / zone
            if i < round(config["leaders"] * n):
                g += 2
            turn = math.pi * config["noise"] * (2 * turns.uniform() - 1)
            after.append(unit(g) * complex(math.cos(turn), math.sin(turn)))
        h = after
        for i in range(n):
            x[i] = (x[i] + config["speed"] * h[i].real) % side
            y[i] = (y[i] + config["speed"] * h[i].imag) % side
        order.append(abs(sum(h)) / n)
    late = np.array(order[steps // 2 :])
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    near = [(i, j) for i, j in pairs if abs(offset(i, j)) < radius]
    group = list(range(n))
    for i, j in pairs:
        if abs(offset(i, j)) < 0.5:
            group = [group[i] if g == group[j] else g for g in group]
    return [
        late.mean(),
        late.std(),
        sum(min(abs(offset(i, j)) for j in range(n) if j != i) for i in range(n)) / n,
        sum((h[i] * h[j].conjugate()).real for i, j in near) / len(near),
        len(set(group)),
    ]


@pytest.mark.parametrize(
    "overrides",
    [{}, {"cohesion": 1.2, "separation": 1.5, "leaders": 0.1, "radius": 1.3}, {"noise": 0.22, "speed": 0.4}],
    ids=["control", "gathering", "fast"],
)
def test_the_rules(overrides):
    config = SWARM.resolved({"n_agents": 66, **overrides})
    result = swarm.replicates(parameters(n_agents=66, **overrides), np.array([11], dtype=np.uint64), 4)[0]
    assert result == pytest.approx(plain(config, 11, 4), rel=1e-9)


def test_control_is_as_noisy_as_tasks_need():
    """Weak drivers need a control with a wide spread: a relative standard deviation near a sixth."""
    order = swarm.replicates(parameters(), np.arange(96, dtype=np.uint64), swarm.STEPS)[:, 0]
    assert order.mean() == pytest.approx(0.425, abs=0.02)
    assert order.std() == pytest.approx(0.071, abs=0.015)


def test_runs_do_not_depend_on_their_company():
    together = swarm.replicates(parameters(), SEEDS, SHORT)
    alone = [swarm.replicates(parameters(), SEEDS[i : i + 1], SHORT)[0] for i in range(3)]
    assert together.tolist() == [run.tolist() for run in alone]
