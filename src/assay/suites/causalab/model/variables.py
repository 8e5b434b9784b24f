"""The variables of a crystal: their keys, their display names, and the tokens inside parameter names."""

from __future__ import annotations

from typing import Final

TARGET: Final = "resonanceFreq"
TARGET_DISPLAY: Final = "Resonance Frequency (Hz)"

DISPLAY: Final = {
    "temperatureC": "Temperature (°C)",
    "moisture": "Moisture",
    "density": "Density",
    "quantumSize": "Quantum Size",
    "radiation": "Radiation",
    "pressure": "Pressure",
    "ph": "pH",
    "conductivity": "Conductivity",
}
"""The paper's pool of eight properties, in the order in which the reactor lists them."""

POOL: Final = tuple(DISPLAY)

_TOKENS = {TARGET: "freq", "temperatureC": "temp"}
_TARGET_ALIASES = frozenset({"freq", "frequency", "resonancefreq", "resonancefrequency"})
_BLANKS = str.maketrans("", "", " _-")


def pool(properties: int) -> tuple[str, ...]:
    """Return the first `properties` property keys: the paper's eight, then `property09`, `property10`, ..."""
    return (*POOL, *(f"property{n:02d}" for n in range(len(POOL) + 1, properties + 1)))[:properties]


def display(name: str) -> str:
    """Return the display name of a variable."""
    if name == TARGET:
        return TARGET_DISPLAY
    if name in DISPLAY:
        return DISPLAY[name]
    return f"Property {name[8:]}" if name.startswith("property") else name


def token(name: str) -> str:
    """Return the part of a coefficient's name that stands for a variable."""
    return _TOKENS.get(name, name)


def base_key(name: str) -> str:
    """Return the name of the parameter that holds a variable's intercept."""
    return "base_freq" if name == TARGET else f"base_{name}"


def normalised(name: str) -> str:
    """Return a name as scoring compares it: stripped, with aliases of the target replaced; case matters."""
    name = name.strip()
    return TARGET if name.lower().translate(_BLANKS) in _TARGET_ALIASES else name
