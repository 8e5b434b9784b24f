"""What happens in a vessel while time passes: reaction, losses of catalyst and product, heat.

Units: minutes, microlitres, nanomoles (so nmol/uL = mM), degrees Celsius, units of catalyst activity (U). The
arithmetic uses `assay.numbers.portable` only, so results are the same on every machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.numbers.kernels import kernel
from assay.numbers.portable import exp

# Amounts in a vessel: nmol of substances, U of catalyst (active and dead), uL of liquids that are not water.
SUBSTRATE, PRODUCT, SPOILED, ACTIVE, DEAD, METAL, CHELATOR, INHIBITOR, COLOUR, QUENCHER = range(10)
BINDING, WASHING, ELUTING, ANTISOLVENT = range(10, 14)
STANDARD = 14  # product of a stock, which no sample made: it reads as product and counts as an impurity
AMOUNTS = 15

LAWS = (
    "turnover",
    "turnover_energy",
    "half_heat",
    "loss_energy",
    "km",
    "ki",
    "metal_kd",
    "metal_kim",
    "acid_pka",
    "base_pka",
    "product_life",
    "product_energy",
    "lot_loss",
    "quench_kill",
    "quench_harm",
    "lot_energy",
    "ph_middle",
    "ph_range",
)
"""Names of the laws of the kernel, in the order of its argument `laws`; `laws.yaml` gives their units."""

STEP = 0.5
LAG = 0.7
GAS = 8.314e-3
HALF = 0.6931471805599453
HEAT_HALF_LIFE = 14.0
DESK = 22.0
HISTORY_FROM = 22.0


@kernel
def arrhenius(energy: float, celsius: float, reference: float) -> float:
    """The factor of a rate at a temperature against that at a reference temperature; `energy` in kJ/mol."""
    return exp(energy / GAS * (1.0 / (reference + 273.15) - 1.0 / (celsius + 273.15)))


@kernel
def turnover(laws: Any, celsius: float, substrate: float, inhibitor: float, metal: float, ph: float) -> float:
    """Turnover of one unit of catalyst in nmol/min; concentrations in mM, `metal` is the free metal."""
    rate: float = laws[0] * arrhenius(laws[1], celsius, 25.0)
    rate = rate * substrate / (laws[4] * (1.0 + inhibitor / laws[5]) + substrate)
    if laws[6] > 0.0:
        over = metal / laws[7]
        rate = rate * metal / (laws[6] + metal) / (1.0 + over * over)
    if laws[8] > 0.0:
        rate = rate / (1.0 + exp(2.302585 * (laws[8] - ph)) + exp(2.302585 * (ph - laws[9])))
    return rate


@kernel
def catalyst_loss(laws: Any, celsius: float, quencher: float) -> float:
    """Rate of loss of active catalyst in 1/min; `quencher` in mM."""
    kill: float = laws[13] * quencher
    return HALF / HEAT_HALF_LIFE * arrhenius(laws[3], celsius, laws[2]) + kill


@kernel
def product_loss(laws: Any, celsius: float, active: float, quencher: float, ph: float) -> float:
    """Rate of loss of product in 1/min; `active` in U/uL, `quencher` in mM."""
    own: float = HALF / laws[10] + laws[14] * quencher
    own = own * (1.0 + exp(2.302585 * (abs(ph - laws[16]) - laws[17])))
    whole: float = own * arrhenius(laws[11], celsius, 37.0) + laws[12] * active * arrhenius(
        laws[15], celsius, 37.0
    )
    return whole


@kernel
def advance(
    amounts: Any,
    volume: float,
    ph: float,
    celsius: float,
    device: float,
    target: float,
    ramp: float,
    minutes: float,
    laws: Any,
) -> tuple[float, float]:
    """Let time pass in one vessel; changes `amounts` in place.

    Args:
        amounts: of the liquid, by the indices of this module.
        volume: uL of liquid; without liquid nothing reacts.
        ph: of the liquid.
        celsius: temperature of the vessel at the start.
        device: temperature of its place at the start, which moves towards `target` with `ramp` degC/min.
        target: temperature to which the place is set.
        ramp: degC/min.
        minutes: how long.
        laws: values in the order of `LAWS`.

    Returns:
        The temperature at the end, and the thermal history: the integral of the excess over 22 degC, in
        degC min.
    """
    history = 0.0
    left = minutes
    slow = 1.0 - exp(-STEP / LAG)
    while left > 1e-9:
        step = STEP if left > STEP else left
        share = slow if step == STEP else 1.0 - exp(-step / LAG)
        if device < target:
            device = min(target, device + ramp * step)
        else:
            device = max(target, device - ramp * step)
        celsius = celsius + share * (device - celsius)
        if celsius > HISTORY_FROM:
            history = history + (celsius - HISTORY_FROM) * step
        left = left - step
        if volume <= 0.0:
            continue
        active = amounts[3]
        quencher = amounts[9] / volume
        if active > 0.0 and amounts[0] > 0.0:
            free = max(amounts[5] - amounts[6], 0.0) / volume
            rate = active * turnover(laws, celsius, amounts[0] / volume, amounts[7] / volume, free, ph)
            made = amounts[0] * (1.0 - exp(-rate * step / amounts[0]))
            amounts[0] = amounts[0] - made
            amounts[1] = amounts[1] + made
        if amounts[1] > 0.0:
            kept = amounts[1] * exp(-step * product_loss(laws, celsius, active / volume, quencher, ph))
            amounts[2] = amounts[2] + amounts[1] - kept
            amounts[1] = kept
        if active > 0.0:
            alive = active * exp(-step * catalyst_loss(laws, celsius, quencher))
            amounts[4] = amounts[4] + active - alive
            amounts[3] = alive
    return celsius, history


def empty() -> Any:
    """The amounts of an empty vessel."""
    return np.zeros(AMOUNTS)
