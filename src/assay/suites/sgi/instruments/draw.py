"""Pictures of panels: points set one by one in four colours, so that the bytes are the same on every machine.

A PNG file holds its pixels uncompressed, since compressors differ between versions.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.config import yaml
from assay.suites.sgi.instruments.bank import Panel
from assay.suites.sgi.instruments.simulate import Values, places

WIDTH, HEIGHT = 400, 300
LEFT, RIGHT, TOP, BOTTOM = 72, 388, 40, 244
"""The frame of a panel, in pixels from the upper left corner."""

PALETTE = bytes.fromhex("ffffff202020005fb0d04000")
INK, COLOURS = 1, (2, 3)
MOST_STEPS = 7
"""Between the ticks of an axis."""

Pixels = NDArray[np.uint8]
Limits = tuple[float, float]


@cache
def _font() -> Mapping[str, Pixels]:
    """Of each character 8 rows and 6 columns of zeros and ones."""
    found = {}
    for character, code in yaml.read(Path(__file__).with_name("font.yaml")).items():
        columns = [*bytes.fromhex(code), 0]
        found[character] = np.array([[(c >> row) & 1 for c in columns] for row in range(8)], dtype=np.uint8)
    return found


@cache
def _glyph(character: str, scale: int) -> Pixels:
    """A character in several times its size; a blank for one that the font lacks."""
    found: Pixels = np.kron(_font().get(character, _font()[" "]), np.ones((scale, scale), dtype=np.uint8))
    return found


def limits(panel: Mapping[str, Values], height: float) -> Limits:
    """The ends of a vertical axis: a little beyond the curves, and no less than the height of the panel."""
    low, high = min(float(y.min()) for y in panel.values()), max(float(y.max()) for y in panel.values())
    room = 0.06 * max(high - low, height) + 0.5 * max(height - (high - low), 0.0)
    return low - room, high + room


def ticks(low: float, high: float) -> list[float]:
    """Round numbers between two ends, where an axis has its ticks.

    Args:
        low: end of the axis.
        high: other end, above `low`.

    Returns:
        All multiples, between the ends, of the smallest of 1, 2 and 5 times a power of ten that leaves at
        most `MOST_STEPS` steps: two at least.

    >>> ticks(-0.07, 1.04)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    power, digit = next(
        (power, digit)
        for power in range(-12, 13)
        for digit in (1, 2, 5)
        if high - low <= MOST_STEPS * float(f"{digit}e{power}")
    )
    step = float(f"{digit}e{power}")
    return [float(f"{k * digit}e{power}") for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def row_of(value: float, ends: Limits) -> int:
    """The pixel row of a value."""
    share = (value - ends[0]) / (ends[1] - ends[0])
    return BOTTOM - int((BOTTOM - TOP) * min(max(share, 0.0), 1.0) + 0.5)


def column_of(panel: Panel, x: float) -> int:
    """The pixel column of a place, within its panel."""
    low, high = panel.x[2:]
    return LEFT + int((RIGHT - LEFT) * (x - low) / (high - low) + 0.5)


def drawn(panels: Sequence[tuple[Panel, Mapping[str, Values], Limits, str]]) -> Pixels:
    """Panels side by side, each with its curves, the ends of its vertical axis and a title."""
    found = np.zeros((HEIGHT, WIDTH * len(panels)), dtype=np.uint8)
    for at, panel in enumerate(panels):
        _panel(found[:, at * WIDTH : (at + 1) * WIDTH], *panel)
    return found


def _panel(to: Pixels, panel: Panel, curves: Mapping[str, Values], ends: Limits, title: str) -> None:
    to[TOP : BOTTOM + 1, LEFT] = INK
    to[BOTTOM, LEFT : RIGHT + 1] = INK
    for tick in ticks(*panel.x[2:]):
        column = column_of(panel, tick)
        to[BOTTOM : BOTTOM + 5, column] = INK
        _write(to, column, BOTTOM + 8, f"{tick:.6g}", centred=True)
    for tick in ticks(*ends):
        row = row_of(tick, ends)
        to[row, LEFT - 5 : LEFT + 1] = INK
        _write(to, LEFT - 8 - 6 * len(f"{tick:.6g}"), row - 4, f"{tick:.6g}")
    _write(to, (LEFT + RIGHT) // 2, BOTTOM + 24, _label(panel.x[0], panel.x[1]), centred=True, scale=2)
    _write(to, 4, 20, _label(*panel.y), scale=2)
    _write(to, 4, 1, title, scale=2)
    place = RIGHT
    for (name, y), colour in reversed(list(zip(curves.items(), COLOURS, strict=False))):
        for x, value in zip(places(panel), y, strict=True):
            row, column = row_of(float(value), ends), column_of(panel, float(x))
            to[row - 1 : row + 2, max(column - 1, 0) : column + 2] = colour
        place -= 12 * len(name) + 10
        _write(to, place, 1, name, colour=colour, scale=2)


def _label(name: str, unit: str) -> str:
    return f"{name} ({unit})" if unit else name


def _write(
    to: Pixels, left: int, top: int, text: str, *, colour: int = INK, scale: int = 1, centred: bool = False
) -> None:
    """Set a text; characters that the font lacks are left blank."""
    start = left - 3 * scale * len(text) if centred else left
    for at, character in enumerate(text):
        shape = _glyph(character, scale)
        part = to[top : top + 8 * scale, start + 6 * scale * at : start + 6 * scale * (at + 1)]
        if part.shape == shape.shape:
            part[shape == 1] = colour


def encoded(pixels: Pixels) -> bytes:
    """The PNG file of pixels: a palette of four colours, two bits a pixel."""
    height, width = pixels.shape
    four = pixels.reshape(height, width // 4, 4)
    packed = (four[:, :, 0] << 6) | (four[:, :, 1] << 4) | (four[:, :, 2] << 2) | four[:, :, 3]
    data = np.concatenate([np.zeros((height, 1), np.uint8), packed.astype(np.uint8)], axis=1).tobytes()
    blocks = [data[at : at + 65_535] for at in range(0, len(data), 65_535)]
    stored = [b"\x78\x01"]
    for at, block in enumerate(blocks):
        stored += [bytes([at == len(blocks) - 1]), struct.pack("<HH", len(block), len(block) ^ 0xFFFF), block]
    stored.append(struct.pack(">I", zlib.adler32(data)))
    header = struct.pack(">IIBBBBB", width, height, 2, 3, 0, 0, 0)
    parts = ((b"IHDR", header), (b"PLTE", PALETTE), (b"IDAT", b"".join(stored)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )


def decoded(data: bytes) -> Pixels:
    """The pixels of a file that `encoded` made."""
    found: dict[bytes, bytes] = {}
    at = 8
    while at + 12 <= len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        found[data[at + 4 : at + 8]] = data[at + 8 : at + 8 + size]
        at += size + 12
    width, height = struct.unpack(">II", found[b"IHDR"][:8])
    rows = np.frombuffer(zlib.decompress(found[b"IDAT"]), np.uint8).reshape(height, 1 + width // 4)[:, 1:]
    pixels = np.stack([(rows >> shift) & 3 for shift in (6, 4, 2, 0)], axis=2)
    return pixels.reshape(height, width).astype(np.uint8)
