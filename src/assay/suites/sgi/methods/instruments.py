"""What an instrument reports of true values: two rival decisions each."""

from __future__ import annotations

import math

from assay.suites.sgi.methods.support import Numbers, Picks


def counter(y: list[float], p: Numbers, pick: Picks) -> list[float]:
    """Dead time, and a background that enters before or after it."""
    reported = []
    for value in y:
        rate = value + p["background"] if pick["background"] == "before" else value
        if pick["dead time"] == "fixed":
            rate = rate / (1 + rate * p["tau"])
        else:
            rate = rate * math.exp(-rate * p["tau"])
        reported.append(rate if pick["background"] == "before" else rate + p["background"])
    return reported


def photodiode(y: list[float], p: Numbers, pick: Picks) -> list[float]:
    """Saturation, and gain that drifts from reading to reading."""
    reported = []
    for at, value in enumerate(y):
        if pick["saturation"] == "exponential":
            signal = p["most"] * (1 - math.exp(-value / p["most"]))
        else:
            signal = value / (1 + value / p["most"])
        if pick["drift"] == "steady":
            reported.append(signal * (1 + p["drift"] * at))
        else:
            reported.append(signal * (1 + p["drift"]) ** (at * (at + 1) / 2))
    return reported


def sampler(y: list[float], p: Numbers, pick: Picks) -> list[float]:
    """Carry-over from one sample to the next, and loss to the wall of the tube."""
    reported: list[float] = []
    for at, value in enumerate(y):
        if pick["loss"] == "share":
            kept = value * (1 - p["loss"])
        else:
            kept = value - p["loss"] * value / (1 + value)
        if at == 0:
            reported.append(kept)
        elif pick["carry-over"] == "of the reading":
            reported.append((1 - p["carry"]) * kept + p["carry"] * reported[-1])
        else:
            reported.append(kept + p["carry"] * y[at - 1])
    return reported


def spectrometer(y: list[float], p: Numbers, pick: Picks) -> list[float]:
    """Stray light, and a cell whose path differs from the stated one."""
    reported = []
    for value in y:
        depth = value / 10
        if pick["path"] == "longer":
            depth = depth * (1 + p["path"])
        else:
            depth = depth + p["path"]
        light = 10**-depth
        if pick["stray light"] == "in both beams":
            light = (light + p["stray"]) / (1 + p["stray"])
        else:
            light = light + p["stray"] / 4
        reported.append(-10 * math.log10(light) + 5)
    return reported


def lock_in(y: list[float], p: Numbers, pick: Picks) -> list[float]:
    """Order of the low-pass filter, and a meter that adds noise in power or in amplitude."""
    reported = []
    for value in y:
        if pick["filter"] == "one pole":
            signal = value / math.sqrt(1 + p["omega"] ** 2)
        else:
            signal = value / (1 + p["omega"] ** 2)
        if pick["noise"] == "in power":
            reported.append(math.hypot(signal, p["noise"]))
        else:
            reported.append(signal + p["noise"] / 2)
    return reported


def camera(y: list[float], p: Numbers, pick: Picks) -> list[float]:
    """Two pixels that share charge, and a contrast curve."""
    total = sum(y) / len(y)
    reported = []
    for at, value in enumerate(y):
        if pick["crosstalk"] == "neighbour":
            mixed = (1 - p["share"]) * value + p["share"] * y[at - 1]
        else:
            mixed = (1 - p["share"]) * value + p["share"] * total
        if pick["contrast"] == "power":
            reported.append(mixed ** p["gamma"])
        else:
            reported.append(math.log(1 + (math.exp(p["gamma"]) - 1) * mixed) / p["gamma"])
    return reported


def balance(y: list[float], p: Numbers, pick: Picks) -> list[float]:
    """Buoyancy of air, and a zero that is wrong before or after the gain."""
    reported = []
    for value in y:
        if pick["buoyancy"] == "of the load":
            weight = value * (1 - p["air"])
        else:
            weight = value / (1 - p["air"] / 3)
        if pick["zero"] == "before the gain":
            reported.append(p["gain"] * (weight + p["zero"]))
        else:
            reported.append(p["gain"] * weight + p["zero"])
    return reported


def coincidence(y: list[float], p: Numbers, pick: Picks) -> list[float]:
    """Detection by one of two detectors or by both, and pile-up."""
    reported = []
    for value in y:
        if pick["detectors"] == "either":
            seen = value * (1 - (1 - p["efficiency"]) ** 2)
        else:
            seen = value * p["efficiency"] ** 2
        if pick["pile-up"] == "lost":
            reported.append(seen / (1 + p["tau"] * seen))
        else:
            reported.append(seen * (1 + p["tau"] * seen / 2))
    return reported
