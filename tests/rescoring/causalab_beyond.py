"""Crystals of the settings beyond the paper's families once more, and the metrics that are empty there."""

from __future__ import annotations

import statistics

from assay.numbers.rng import stream

Y = "resonanceFreq"

EMPTY = {
    "noise": {"freq_weight_f1", "consistent", "inconsistent_share", "noted_inconsistent_share", "imec_data"},
    "confounded": {"imec_data", "imec_targets"},
    "hold": {"imec_data"},
    "cyclic": {"imec_data", "imec_targets"},
    "monotone": {"imec_data"},
    "interaction": {"freq_weight_f1", "imec_data"},
}


def normal(bits):
    """The quantile of the standard normal distribution in the middle of one of 4,096 equal parts."""
    return statistics.NormalDist().inv_cdf((bits + 0.5) / 4096)


def record(lab, bases, hidden, number):
    """A prior record as it is shown, errors of measurement included."""
    chance = stream(hidden["disturbances"], "record", number)
    values = crystal(lab, bases, chance)
    rules = lab.public["rules"]
    if rules["property_noise"]:
        bits = chance.bits() >> 4
        for name in listed(lab):
            spread = rules["target_noise" if name == Y else "property_noise"]
            values[name] = round(values[name] + spread * normal(bits % 4096), 2)
            bits //= 4096
    return values


def reactor(lab, bases, hidden):
    return crystal(lab, bases, stream(hidden["disturbances"], "reactor"))


def crystal(lab, bases, chance):
    """The state of a crystal, with what the latent cause adds to its properties."""
    factors = lab.model.get("latent")
    if factors:
        level = normal(chance.bits() >> 52)
        return lab.values(bases, {name: factor * level for name, factor in factors.items()})
    return balanced(lab, bases) if lab.public["family"] == "cyclic" else lab.values(bases)


def balanced(lab, bases):
    """The state of a model with cycles: its equations are applied until nothing changes."""
    params, values = lab.model["params"], dict(bases)
    short = {Y: "freq", "temperatureC": "temp"}
    for _ in range(2000):
        now = dict(bases)
        for cause, effect in lab.edges:
            if effect != Y:
                weight = params[f"coeff_{short.get(cause, cause)}_{short.get(effect, effect)}"]
                now[effect] += weight * values[cause]
        values = now
    values = {name: round(value, 2) for name, value in values.items()}
    of_target = params["base_freq"]
    for cause, effect in lab.edges:
        if effect == Y:
            of_target += params[f"coeff_{short.get(cause, cause)}_freq"] * values[cause]
    return {**values, Y: round(of_target, 2)}


def listed(lab):
    """The variables in the order in which they are computed, causes first."""
    done = []

    def walk(name):
        if name not in done:
            for edge in lab.model["edges"]:
                if edge["to"] == name:
                    walk(edge["from"])
            done.append(name)

    for name in lab.names:
        walk(name)
    return done
