"""The same bytes whatever the surroundings: hash seed, time zone, locale, cores, size of shards, processor.

Every build here works without the content store, and the test counts the jobs: had one been restored, or
had none run, equal manifests would prove nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.workflow.checkout import REAL, ROOT, SMALL, SMOKE, Checkout

WHOLE = "config/config.yaml"
"""What is frozen."""

OTHER_SURROUNDINGS = {
    "PYTHONHASHSEED": "4711",
    "TZ": "Pacific/Chatham",
    "LC_ALL": "tr_TR.UTF-8",
    "LANG": "C",
    "ASSAY_FORK": "off",
}

PROBE = """
import math, random
import numpy as np
random.seed(1)
x = [random.uniform(-20, 20) for _ in range(10_000)]
a = np.array(x)
print([hash(v) for f in (math.exp, math.sin) for v in map(f, x)])
print(np.exp(a).tobytes().hex(), (a.reshape(100, 100) @ a.reshape(100, 100)).tobytes().hex())
"""
"""Prints the last bits of what is not portable: functions of the C library and of numpy, matrix products."""


def dispatched() -> str:
    """The instruction sets, beyond the least, for which numpy has code that this processor can run."""
    from numpy._core import _multiarray_umath as umath

    return " ".join(name for name in umath.__cpu_dispatch__ if umath.__cpu_features__.get(name))


PROCESSORS = {
    "numpy": {"NPY_DISABLE_CPU_FEATURES": dispatched()},
    "the C library": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4"},
    "matrix products": {"OPENBLAS_CORETYPE": "Prescott"},
}
"""Ways to hide what this processor can do from a library."""

COMPILED = {"NUMBA_CPU_NAME": "generic"}


def probe(**environment: str) -> str:
    checkout = Checkout(ROOT)
    return subprocess.run(
        [sys.executable, "-c", PROBE],
        env=checkout.environment(**environment),
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def disguises() -> dict[str, str]:
    """All of `PROCESSORS` that have an effect on this machine."""
    plain = probe()
    effective = [variables for variables in PROCESSORS.values() if probe(**variables) != plain]
    return {name: value for variables in effective for name, value in variables.items()}


def build_apart(
    root: Path, config: str, recordings: Path, *arguments: str, cores: str = "1", **environment: str
) -> Checkout:
    """Build everything in a new copy of the checkout, without the store, and check that all was computed.

    `recordings` is the folder of the checkout whose recordings it needs.
    """
    checkout = Checkout.fresh(root, config)
    checkout.bring_recordings(of=recordings)
    expected = len(checkout.to_do(*arguments))
    assert expected > 0
    checkout.build(*arguments, cores=cores, ASSAY_STORE="off", **environment)
    how = list(checkout.how().values())
    assert how == ["computed"] * expected
    return checkout


def differing(made: Checkout, reference: Checkout) -> list[str]:
    """The files that differ, by the two manifests; none where these are equal byte for byte."""
    if made.manifest() == reference.manifest():
        return []
    ours, theirs = (json.loads(checkout.manifest())["files"] for checkout in (made, reference))
    return sorted(path for path in {*ours, *theirs} if ours.get(path) != theirs.get(path)) or [
        "the manifest itself"
    ]


def test_other_surroundings_and_other_shards(built, tmp_path):
    made = build_apart(
        *(tmp_path / "another folder", SMALL, built.root, "--config", "shard_size=3"),
        cores="2",
        **OTHER_SURROUNDINGS,
    )
    assert differing(made, built) == []


@pytest.mark.full
def test_another_processor(built, tmp_path):
    disguise = disguises()
    if not disguise:
        pytest.skip("no library here lets itself be told of another processor")
    made = build_apart(
        *(tmp_path / "another folder", SMALL, built.root, "--config", "shard_size=all"),
        **disguise,
        **COMPILED,
    )
    assert differing(made, built) == []


# --- one at a time ----------------------------------------------------------------------------------------

CASES: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "hash seed": ((), {"PYTHONHASHSEED": "0"}),
    "time zone": ((), {"TZ": "Pacific/Chatham"}),
    "locale": ((), {"LC_ALL": "tr_TR.UTF-8"}),
    "two cores": (("--cores", "2"), {}),
    "shards of one": (("--config", "shard_size=1"), {}),
    "shards of seven": (("--config", "shard_size=7"), {}),
    "one shard": (("--config", "shard_size=all"), {}),
    "compiled for any processor": ((), COMPILED),
    **{name: ((), variables) for name, variables in PROCESSORS.items()},
}


@pytest.mark.full
@pytest.mark.parametrize("case", CASES)
def test_each_alone(built, tmp_path, case):
    arguments, environment = CASES[case]
    if case in PROCESSORS and probe(**environment) == probe():
        pytest.skip("has no effect on this machine")
    made = build_apart(tmp_path / "another folder", SMALL, built.root, *arguments, **environment)
    assert differing(made, built) == []


@pytest.mark.soak
@pytest.mark.parametrize("case", CASES)
def test_the_real_suites_under_each_condition(real, tmp_path, case):
    arguments, environment = CASES[case]
    if case in PROCESSORS and probe(**environment) == probe():
        pytest.skip("has no effect on this machine")
    made = build_apart(tmp_path / "apart", REAL, ROOT, *arguments, **environment)
    assert differing(made, real) == []


# --- all at once ------------------------------------------------------------------------------------------


def under_all_conditions(root: Path, config: str, shards: str) -> Checkout:
    """A build in other surroundings, with shards of that size and, where it is `all`, another processor."""
    processor = disguises() | COMPILED if shards == "all" else {}
    return build_apart(
        *(root, config, ROOT, "--config", f"shard_size={shards}"),
        cores="2",
        **OTHER_SURROUNDINGS,
        **processor,
    )


@pytest.mark.parametrize(
    "shards", [pytest.param("1", marks=pytest.mark.soak), pytest.param("all", marks=pytest.mark.full)]
)
def test_every_suite_under_all_conditions_at_once(smoke, tmp_path, shards):
    assert differing(under_all_conditions(tmp_path / "apart", SMOKE, shards), smoke) == []


@pytest.mark.soak
@pytest.mark.parametrize("shards", ["1", "all"])
def test_everything_is_what_was_frozen_under_all_conditions_at_once(tmp_path, shards):
    made = under_all_conditions(tmp_path / "apart", WHOLE, shards)
    frozen = json.loads((ROOT / "results/MANIFEST").read_text())["files"]
    assert json.loads(made.manifest())["files"] == frozen
