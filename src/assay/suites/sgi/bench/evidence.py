"""Tables of measurements that a prompt shows, each with the laws that it tells about.

The generator prints the laws' values with scatter; a solver fits the same laws to the printed numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.numbers.portable import exp, norminv
from assay.numbers.rng import Stream
from assay.suites.sgi.bench.simulator import kinetics as k
from assay.suites.sgi.bench.simulator.measuring import reader
from assay.suites.sgi.bench.simulator.separation import bound_share
from assay.suites.sgi.bench.simulator.state import saturating
from assay.suites.sgi.bench.world import kernel_laws

SCATTER = 0.02
World = Mapping[str, Any]


@dataclass(frozen=True)
class Table:
    """A table of measurements.

    Attributes:
        columns: headings; the last one or more are measured, the others were set.
        laws: names of the laws that it tells about.
        rows: of a world the values that were set, one tuple a row.
        value: of a world and a row what was measured, without scatter.
        needs: a law without which the table makes no sense.
    """

    columns: tuple[str, ...]
    laws: tuple[str, ...]
    rows: Callable[[World], Sequence[tuple[float, ...]]]
    value: Callable[[World, tuple[float, ...]], float]
    needs: str = ""


def _laws(world: World) -> Any:
    return kernel_laws(world)


def _rate(world: World, celsius: float, s: float, i: float, metal: float, ph: float) -> float:
    return float(k.turnover(_laws(world), celsius, s, i, metal, ph))


def _best_metal(world: World) -> float:
    """Free metal at which rates of other tables were measured: known to the reader from the heading."""
    return 1.0 if "metal_kd" in world else 0.0


def _ph(world: World) -> float:
    return 6.5


def _kept(
    world: World, celsius: float, minutes: float, *, active: float = 0.0, quencher: float = 0.0, ph: float
) -> float:
    rate = k.product_loss(_laws(world), celsius, active, quencher, ph)
    return float(exp(-rate * minutes))


def _precipitated(world: World, share: float, celsius: float, *, other: bool) -> float:
    """Solubility in mM."""
    slope = world["precipitation_k"] * (world["precipitation_other"] if other else 1.0)
    cold = world["precipitation_cold"] * (celsius - k.DESK)
    return float(world["precipitation_base"] * exp(2.302585 * (cold - slope * share)))


def _distribution(world: World, solvent: str, ph: float) -> float:
    ionised = ph - world["product_pka"] if world["acid"] else world["product_pka"] - ph
    return float(exp(2.302585 * world[f"partition_{solvent}"]) / (1.0 + exp(2.302585 * ionised)))


TABLES: Mapping[str, Table] = {
    "heat": Table(
        ("temperature (degC)", "initial rate (nmol/min/U)"),
        ("turnover", "turnover_energy"),
        lambda w: [(t,) for t in (15, 22, 28, 34)],
        lambda w, x: _rate(w, x[0], 50.0, 0.0, _best_metal(w), _ph(w)),
    ),
    "saturation": Table(
        ("substrate (mM)", "inhibitor (mM)", "initial rate at 25 degC (nmol/min/U)"),
        ("km", "ki"),
        lambda w: [(s, i) for i in (0.0, 0.15) for s in (0.05, 0.2, 0.8, 3.0)],
        lambda w, x: _rate(w, 25.0, x[0], x[1], _best_metal(w), _ph(w)),
    ),
    "metal": Table(
        ("free metal (mM)", "initial rate at 25 degC (nmol/min/U)"),
        ("metal_kd", "metal_kim"),
        lambda w: [(m,) for m in (0.05, 0.2, 0.7, 2.0, 5.0, 12.0)],
        lambda w, x: _rate(w, 25.0, 50.0, 0.0, x[0], _ph(w)),
        "metal_kd",
    ),
    "acidity": Table(
        ("pH", "initial rate at 25 degC (nmol/min/U)"),
        ("acid_pka", "base_pka"),
        lambda w: [(p,) for p in (4.5, 5.5, 6.5, 7.5, 8.5, 9.5)],
        lambda w, x: _rate(w, 25.0, 50.0, 0.0, _best_metal(w), x[0]),
        "acid_pka",
    ),
    "stability": Table(
        ("temperature (degC)", "activity left after 10 min (share)"),
        ("half_heat", "loss_energy"),
        lambda w: [(t,) for t in (28, 36, 44, 52, 60, 68, 76)],
        lambda w, x: float(exp(-10.0 * k.catalyst_loss(_laws(w), x[0], 0.0))),
    ),
    "quench": Table(
        ("quencher (mM)", "activity left after 2 min at 22 degC (share)"),
        ("quench_kill",),
        lambda w: [(q,) for q in (0.5, 2.0, 8.0)],
        lambda w, x: float(exp(-2.0 * k.catalyst_loss(_laws(w), 22.0, x[0]))),
    ),
    "product": Table(
        ("temperature (degC)", "hours", "product left (share)"),
        ("product_life", "product_energy"),
        lambda w: [(22, 24), (37, 2), (37, 12), (50, 2), (65, 0.5), (85, 0.1)],
        lambda w, x: _kept(w, x[0], 60 * x[1], ph=7.0),
    ),
    "product-ph": Table(
        ("pH", "product left after 60 min at 37 degC (share)"),
        ("ph_middle", "ph_range"),
        lambda w: [(p,) for p in (2, 3, 4, 5.5, 7, 8.5, 10, 11, 12)],
        lambda w, x: _kept(w, 37.0, 60.0, ph=x[0]),
    ),
    "product-lot": Table(
        ("catalyst (U/uL)", "temperature (degC)", "product left after 20 min at pH 7 (share)"),
        ("lot_loss", "lot_energy"),
        lambda w: [(a, t) for a in (0.02, 0.1, 0.4) for t in (15, 37)],
        lambda w, x: _kept(w, x[1], 20.0, active=x[0], ph=7.0),
    ),
    "product-quench": Table(
        ("quencher (mM)", "product left after 120 min at 37 degC and pH 7 (share)"),
        ("quench_harm",),
        lambda w: [(q,) for q in (1.0, 5.0, 25.0)],
        lambda w, x: _kept(w, 37.0, 120.0, quencher=x[0], ph=7.0),
    ),
    "cold": Table(
        ("one stay in", "product lost at once (share)"),
        ("cold_loss", "freeze_loss"),
        lambda w: [(0,), (1,)],
        lambda w, x: float(w["freeze_loss"] if x[0] else w["cold_loss"]),
    ),
    "binding": Table(
        ("binding buffer per liquid (uL/uL)", "product bound (share)", "substrate bound (share)"),
        ("binding_k", "binding_h", "substrate_factor"),
        lambda w: [(r, s) for s in (0, 1) for r in (0.3, 0.7, 1.2, 2.0, 4.0, 8.0)],
        lambda w, x: bound_share(
            x[0], w["binding_k"] * (w["substrate_factor"] if x[1] else 1.0), w["binding_h"]
        ),
        "binding_k",
    ),
    "capacity": Table(
        ("product and substrate that could bind (nmol)", "bound (nmol)"),
        ("capacity",),
        lambda w: [(n,) for n in (2, 5, 12, 30, 80)],
        lambda w, x: min(x[0], w["capacity"]),
        "binding_k",
    ),
    "washing": Table(
        ("washed off", "share a wash"),
        ("wash_impurity", "wash_product"),
        lambda w: [(0,), (1,)],
        lambda w, x: float(w["wash_product"] if x[0] else w["wash_impurity"]),
        "wash_product",
    ),
    "residual": Table(
        ("column", "liquid left after a spin (uL)"),
        ("residual",),
        lambda w: [(1,), (2,)],
        lambda w, x: float(w["residual"]),
        "binding_k",
    ),
    "drying": Table(
        ("dried column", "product lost by drying (share)"),
        ("drying_loss",),
        lambda w: [(1,), (2,)],
        lambda w, x: float(w["drying_loss"]),
        "binding_k",
    ),
    "elution": Table(
        ("eluting buffer (uL)", "minutes on the column", "product eluted (share)"),
        ("elution_v0", "elution_tau"),
        lambda w: [(v, 90) for v in (6, 15, 40, 100)] + [(300, t) for t in (0.5, 2, 6, 20)],
        lambda w, x: saturating(x[0] / w["elution_v0"]) * saturating(x[1] / w["elution_tau"]),
        "binding_k",
    ),
    "partition": Table(
        ("pH", "solvent", "product in solvent per product in water (mM/mM)"),
        ("partition_a", "partition_b", "product_pka"),
        lambda w: [(p, s) for s in (0, 1) for p in (2, 4, 6, 8, 10, 12)],
        lambda w, x: _distribution(w, "ab"[int(x[1])], x[0]),
        "product_pka",
    ),
    "partition-other": Table(
        ("solvent", "others in solvent per others in water (mM/mM)"),
        ("partition_a_impurity", "partition_b_impurity"),
        lambda w: [(0,), (1,)],
        lambda w, x: float(exp(2.302585 * w[f"partition_{'ab'[int(x[0])]}_impurity"])),
        "product_pka",
    ),
    "settling": Table(
        ("minutes after mixing", "layer that has parted (share)"),
        ("settling",),
        lambda w: [(t,) for t in (0.5, 1.5, 4.0, 10.0)],
        lambda w, x: saturating(x[0] / w["settling"]),
        "settling",
    ),
    "solubility": Table(
        (
            "antisolvent (share)",
            "temperature (degC)",
            "product dissolved at most (mM)",
            "others dissolved at most (mM)",
        ),
        ("precipitation_base", "precipitation_k", "precipitation_cold", "precipitation_other"),
        lambda w: [(f, t, o) for o in (0, 1) for f in (0.2, 0.4, 0.6, 0.8) for t in (-20, 22)],
        lambda w, x: _precipitated(w, x[0], x[1], other=bool(x[2])),
        "precipitation_k",
    ),
    "nucleation": Table(
        ("minutes", "temperature (degC)", "excess that has settled (share)"),
        ("nucleation", "nucleation_cold"),
        lambda w: [(m, t) for t in (-20, 22) for m in (1, 4, 12, 40)],
        lambda w, x: saturating(
            x[0] / w["nucleation"] / exp(2.302585 * w["nucleation_cold"] * (k.DESK - x[1]))
        ),
        "nucleation",
    ),
    "pelleting": Table(
        ("minutes of spinning", "precipitate in the pellet (share)"),
        ("pelleting",),
        lambda w: [(m,) for m in (1, 3, 8, 20)],
        lambda w, x: saturating(x[0] / w["pelleting"]),
        "pelleting",
    ),
    "dissolving": Table(
        ("minutes in buffer", "pellet that has dissolved (share)"),
        ("dissolving",),
        lambda w: [(m,) for m in (1, 3, 8, 20)],
        lambda w, x: saturating(x[0] / w["dissolving"]),
        "dissolving",
    ),
    "dissolved": Table(
        ("pellet", "product dissolved at most (mM)"),
        ("dissolved_limit",),
        lambda w: [(1,), (2,)],
        lambda w, x: float(w["dissolved_limit"]),
        "dissolving",
    ),
}
"""All tables but those of samples, stocks and the reader."""

READER_ROWS: Sequence[tuple[str, float]] = (
    ("product", 0.004),
    ("product", 0.02),
    ("product", 0.1),
    ("product", 0.5),
    ("colour", 0.05),
    ("substrate", 0.2),
)
"""What the reader was shown, mM; the same rows for all wavelengths."""


def reading(world: World, wavelength: str, what: str, mm: float) -> float:
    """A reading of one substance."""
    return reader(world, world["eps"][wavelength][what] * mm)


def tables_of(world: World) -> dict[str, Table]:
    """The tables of a world."""
    return {name: table for name, table in TABLES.items() if not table.needs or table.needs in world}


def measured(world: World, stream: Stream) -> dict[str, list[float]]:
    """The numbers of all tables with scatter, three digits; and those of the reader under `reader`."""
    made = {
        name: [scattered(table.value(world, row), stream, share=is_share(table)) for row in table.rows(world)]
        for name, table in tables_of(world).items()
    }
    made["reader"] = [
        digits(reading(world, wavelength, what, mm) + 0.003 * _normal(stream))
        for wavelength in world["eps"]
        for what, mm in READER_ROWS
    ]
    return made


def is_share(table: Table) -> bool:
    return "(share)" in table.columns[-1] or "share" in table.columns[-1]


def _normal(stream: Stream) -> float:
    return float(norminv(stream.uniform()))


def scattered(value: float, stream: Stream, *, share: bool = False) -> float:
    """A value with scatter of 2 %; a share also with 0.005, and never outside 0 .. 1."""
    value = value * exp(SCATTER * _normal(stream))
    if share:
        value = min(max(value + 0.004 * _normal(stream), 0.0), 1.0)
        return round(value, 3)
    return digits(value)


def digits(value: float) -> float:
    """Three significant digits."""
    return float(f"{value:.3g}")
