"""Models of dry experiments: right where a limit is known, and confirmed by an independent method."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from assay.numbers import rng
from assay.suites.sgi.methods import compose, specialise
from assay.suites.sgi.methods.bank import PLAUSIBLE, REGIMES, Part, everything, models, options
from assay.suites.sgi.methods.compose import ABSOLUTE, RELATIVE, Failed, called

SEED = 5
NAMES = sorted(models())


def draws(part: Part, regime: str) -> dict[str, Any]:
    """Parameters of a regime from the seed of the tests."""
    return part.draw(regime, rng.stream(SEED, part.name, regime))


def chosen(part: Part) -> dict[str, str]:
    """Some decisions."""
    return {name: rng.stream(SEED, name).choice(list(options(name))) for name in part.names()}


def run(name: str, p: dict[str, Any], method: str = "right", **picks: str) -> list[float]:
    """A model's results; decisions that are not named have their usual value."""
    part = models()[name]
    choices = {f"{name}.{decision.replace('_', ' ')}": value for decision, value in picks.items()}
    assert set(choices) <= set(part.names())
    found: list[float] = called(part, choices, method, p)
    return found


def fails(name: str, regime: str, method: str) -> bool:
    """Whether a method misses the right values."""
    part = models()[name]
    p, choices = draws(part, regime), chosen(part)
    want = called(part, choices, "right", p)
    try:
        got = called(part, choices, method, p)
    except Failed:
        return True
    return any(abs(a - b) > ABSOLUTE + RELATIVE * abs(b) for a, b in zip(got, want, strict=True))


def test_there_are_enough_models_that_differ() -> None:
    assert len(NAMES) >= 25
    assert {len(part.entry.decisions) for part in models().values()} == {3}
    assert len({part.entry.title for part in models().values()}) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_an_independent_method_confirms_a_model(name: str) -> None:
    part = models()[name]
    confirmed = 0
    for regime in ("mild", "stiff"):
        p, choices = draws(part, regime), chosen(part)
        want, got = (called(part, choices, method, p) for method in ("right", "second"))
        confirmed += all(
            abs(a - b) <= 0.1 * (ABSOLUTE + RELATIVE * abs(b)) for a, b in zip(got, want, strict=True)
        )
    assert confirmed == 2


@pytest.mark.parametrize("name", NAMES)
def test_plausible_methods_run_and_fail(name: str) -> None:
    failed = {method: sum(fails(name, regime, method) for regime in REGIMES) for method in PLAUSIBLE}
    assert max(failed.values()) >= 2


@pytest.mark.parametrize("name", sorted(everything()))
def test_every_decision_of_a_part_matters(name: str) -> None:
    part = everything()[name]
    p = draws(part, "mild")
    arguments = [[2.0, 0.7, 4.0], p] if part.kind == "instruments" else [p]
    results = []
    for variant in part.variants({}):
        try:
            results.append(tuple(np.ravel(called(part, variant, "right", *arguments)).round(9).tolist()))
        except Failed:  # lifetimes of late comers alone may have no most likely scale
            assert name == "late_entry"
    assert len(results) >= len(list(part.variants({}))) - 1
    assert len(set(results)) == len(results)


@pytest.mark.parametrize("name", sorted(everything()))
def test_a_program_that_is_cut_out_does_the_same(name: str) -> None:
    part = everything()[name]
    choices = chosen(part)
    text = specialise.source(part, part.picks(choices))
    assert "pick" not in text
    space: dict[str, Any] = {"np": np, "math": math, "itertools": itertools}
    exec("from scipy import integrate, linalg, optimize, special", space)
    exec("\n".join([*specialise.shared([text], "right"), text]), space)
    p = draws(part, "mild")
    arguments = [[2.0, 0.7, 4.0], p] if part.kind == "instruments" else [p]
    assert np.allclose(space[name](*arguments), called(part, choices, "right", *arguments), rtol=1e-12)


# ------------------------------------------------------------ limits with a closed form, and invariants


def test_two_first_order_steps_have_their_closed_form() -> None:
    p = {"a0": 2.0, "k1": 0.5, "k2": 1.5, "keq": 3.0, "h": 1.0, "t": 4.0}
    a = 2 * math.exp(-0.5 * 4)
    b = 2 * 0.5 / (1.5 - 0.5) * (math.exp(-0.5 * 4) - math.exp(-1.5 * 4))
    assert run("batch_reactor", p)[2] == pytest.approx(2 - a - b, rel=1e-8)


def test_reversible_steps_end_in_their_equilibrium() -> None:
    p = {"a0": 2.0, "k1": 1.0, "k2": 1.0, "keq": 3.0, "h": 1.0, "t": 200.0}
    assert run("batch_reactor", p, second_step="reversible")[2] == pytest.approx(2 * 3 / 4, rel=1e-8)


def test_an_undisturbed_orbit_keeps_its_energy_and_closes() -> None:
    p = {"e": 0.6, "eps": 0.0, "d": 0.0, "t": 4 * math.pi}
    half, end, speed = run("orbit", p)
    assert (half, end) == (pytest.approx(0.4, rel=1e-7), pytest.approx(0.4, rel=1e-7))
    assert (speed - 1) - 1 / end == pytest.approx(-0.5, abs=1e-7)


def test_a_drug_that_is_not_eliminated_stays() -> None:
    p = {"dose": 5.0, "tin": 1.0, "ke": 1e-12, "km": 1.0, "k12": 0.5, "k21": 0.5, "t": 100.0}
    assert run("drug_levels", p, uptake="steady")[1] == pytest.approx(5.0, rel=1e-6)


def test_the_isothermal_limit_of_small_bodies_is_their_series() -> None:
    p = {"n": 1.0, "v": 0.0, "x": 1.5}
    assert run("star", p)[0] == pytest.approx(math.sin(1.5) / 1.5, rel=1e-8)


def test_a_closed_column_keeps_what_it_has() -> None:
    p = {"q": 3.0, "b": 0.5, "k": 0.4, "t": 3.0}
    assert run("tank_column", p, outlet="returns", walls="sorb")[2] == pytest.approx(10.0, rel=1e-9)


def test_an_insulated_rod_decays_by_its_first_mode() -> None:
    p = {"d": 1.0, "r": 0.0, "x": 0.5, "t": 2.0}
    first = 4 / math.pi * math.exp(-((math.pi / 2) ** 2) * 2) * math.sin(math.pi / 4)
    assert run("heat_rod", p, right_end="insulated")[0] == pytest.approx(10 * first, rel=1e-6)


def test_a_particle_in_an_empty_box() -> None:
    p = {"m": 1.0, "g": 0.0, "tilt": 0.0}
    levels = [(n / 2) ** 2 / 2 for n in (1, 2, 3)]
    assert run("quantum_ring", p, particles="fermions") == pytest.approx(
        [1 + levels[0] + levels[1], levels[2] - levels[0]]
    )


def test_light_is_kept_where_nothing_absorbs_and_scaling_of_lengths_changes_nothing() -> None:
    p = {"pairs": 3.2, "wave": 1.1, "angle": 0.5, "n1": 1.4, "n2": 2.2, "ns": 1.5, "d1": 0.2, "d2": 0.1}
    kept = run("light_layers", {**p, "kappa": 0.0, "haze": 0.0}, polarisation="p")
    assert kept[2] == pytest.approx(1.0, abs=1e-12)
    p |= {"kappa": 0.03, "haze": 0.1}
    twice = {**p, **{name: 2 * p[name] for name in ("wave", "d1", "d2")}}
    assert run("light_layers", p) == pytest.approx(run("light_layers", twice))


def test_pure_deaths_have_a_closed_form() -> None:
    p = {"b": 0.0, "d": 0.7, "c": 0.0, "t": 1.3}
    gone = 1 - math.exp(-0.7 * 1.3)
    assert run("population", p)[:2] == pytest.approx([10 * gone**6, 6 * (1 - gone)])


def test_free_spins_have_a_closed_form() -> None:
    p = {"j": 0.0, "beta": 0.8, "h": 0.5}
    for shape in ("ring", "chain"):
        got = run("spin_ring", p, shape=shape)
        assert got[0] == pytest.approx(math.log(2 * math.cosh(0.4)), rel=1e-9)
        assert got[2] == pytest.approx(1 + math.tanh(0.4), rel=1e-6)


def test_a_queue_without_impatience_is_erlangs() -> None:
    load = 2.0
    weights = [load**n / math.factorial(min(n, 3)) / 3 ** max(n - 3, 0) for n in range(26)]
    share = [weight / sum(weights) for weight in weights]
    got = run("queue", {"lam": 2.0, "mu": 1.0, "theta": 0.0})
    assert got[0] == pytest.approx(sum(n * q for n, q in enumerate(share)))
    assert got[1] == pytest.approx(10 * share[-1])


def test_a_harmonic_trap_has_the_variance_of_equipartition() -> None:
    p = {"k": 2.0, "g": 0.5, "c": 1.0, "s": 1.0, "w": 0.0, "t": 1.0, "omega": 1.0}
    assert run("trapped_particle", p)[0] == pytest.approx(math.sqrt(1 / (2 * 0.5 * 2.0)))


def test_lines_through_exact_points_are_found_whatever_their_errors() -> None:
    x = [0.5 + 0.6 * i for i in range(9)]
    p = {"x": x, "y": [0.3 + 1.2 * v for v in x], "sx": 0.2, "sy": 0.1, "x0": 7.0}
    for abscissa, errors in itertools.product(("exact", "with errors"), ("constant", "relative")):
        got = run("straight_line", p, abscissa=abscissa, errors=errors)
        assert got == pytest.approx([1.2, 0.3 + 8.4, 0.0], abs=1e-7)


def test_competing_shares_add_up() -> None:
    p = {"a": 0.3, "b": 0.4, "k": 1.5, "delay": 0.5, "theta": 0.5, "t": 1.5}
    for cause, units in itertools.product(("delayed", "fading"), ("graded", "two kinds")):
        assert sum(run("rival_risks", p, second_cause=cause, units=units)) == pytest.approx(10.0, rel=1e-9)


def test_exponential_lifetimes_have_a_closed_estimate() -> None:
    p = {
        "k": 1.0,
        "scale": 2.0,
        "x": 0.5,
        "entry": [0.2, 0.5, 0.0],
        "end": [1.2, 3.0, 2.0],
        "lost": [0, 1, 0],
    }
    got = run("late_entry", p, entry="survivors only")
    assert got[0] == pytest.approx((1.0 + 2.5 + 2.0) / 2 / 2.0, rel=1e-8)
    assert got[2] == pytest.approx(10 / math.sqrt(2), rel=1e-6)


def test_laws_meet_at_their_reference_point() -> None:
    at = {
        "thermal": {"x": 308.15, "q": 2.0},
        "supply": {"x": 0.7, "k": 0.7},
        "sites": {"x": 0.7, "k": 0.7},
        "pressure": {"x": 1.0, "b": 0.4},
        "field": {"x": 1.0, "b": 0.4},
    }
    for name, p in at.items():
        part = everything()[name]
        values = [called(part, variant, "right", p) for variant in part.variants({})]
        assert values[0] == pytest.approx(values[1])


def test_drives_stay_in_their_range() -> None:
    assert compose.drive([0.0]) == 0.85
    assert compose.drive([3.0]) == 1.0
    assert compose.drive([1e9]) == pytest.approx(1.15)
