"""Pictures as PNG files whose bytes follow from the pixels alone.

They are stored, not compressed: what a compressor makes differs between versions of zlib, and the hash of a
picture stands in its frozen task. Up to 256 colours go into a palette, one byte a pixel.
"""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pandas as pd

from assay.suites.sgi.reasoning.canvas import Pixels

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_MOST_STORED = 65_535


def encoded(pixels: Pixels) -> bytes:
    """The PNG file of a picture."""
    height, width = pixels.shape[:2]
    wide = pixels.astype(np.int32)
    codes = (wide[:, :, 0] << 16) | (wide[:, :, 1] << 8) | wide[:, :, 2]
    indices, met = pd.factorize(codes.ravel())  # in the order in which they are met, by hashing
    colours = np.sort(met)
    chunks = b""
    if len(colours) <= 256:
        places = np.searchsorted(colours, met).astype(np.uint8)
        kind, rows = 3, places[indices].reshape(height, width)
        chunks = _chunk(b"PLTE", b"".join(int(colour).to_bytes(3, "big") for colour in colours))
    else:
        kind, rows = 2, pixels.reshape(height, 3 * width)
    data = np.concatenate([np.zeros((height, 1), np.uint8), rows], axis=1).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    return (
        SIGNATURE + _chunk(b"IHDR", header) + chunks + _chunk(b"IDAT", _stored(data)) + _chunk(b"IEND", b"")
    )


def decoded(data: bytes) -> Pixels:
    """The pixels of a file that `encoded` made; `ValueError` for any other."""
    found: dict[bytes, bytes] = {}
    at = len(SIGNATURE)
    if data[:at] != SIGNATURE:
        raise ValueError("not a PNG file")
    while at + 12 <= len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        found[data[at + 4 : at + 8]] = data[at + 8 : at + 8 + size]
        at += size + 12
    if not {b"IHDR", b"IDAT"} <= found.keys():
        raise ValueError("a PNG file without pixels")
    width, height, depth, kind, *rest = struct.unpack(">IIBBBBB", found[b"IHDR"])
    if depth != 8 or kind not in (2, 3) or any(rest):
        raise ValueError("a PNG file of another kind")
    rows = np.frombuffer(zlib.decompress(found[b"IDAT"]), np.uint8).reshape(height, -1)
    if rows[:, 0].any():
        raise ValueError("a PNG file with filtered rows")
    if kind == 2:
        return rows[:, 1:].reshape(height, width, 3)
    palette = np.frombuffer(found[b"PLTE"], np.uint8).reshape(-1, 3)
    return palette[rows[:, 1:]]


def _stored(data: bytes) -> bytes:
    blocks = [data[at : at + _MOST_STORED] for at in range(0, len(data), _MOST_STORED)]
    parts = [b"\x78\x01"]
    for at, block in enumerate(blocks):
        last = at == len(blocks) - 1
        parts += [bytes([last]), struct.pack("<HH", len(block), len(block) ^ 0xFFFF), block]
    return b"".join([*parts, struct.pack(">I", zlib.adler32(data))])


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
