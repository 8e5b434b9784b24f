"""The picture of an urn: a PNG with one grey pixel a ball."""

from __future__ import annotations

import struct
import zlib


def draw(balls: int) -> bytes:
    """The bytes of the picture.

    The pixels are stored, not compressed, and by hand: what a compressor makes differs between versions of
    zlib, and the picture's hash stands in the frozen task.
    """
    row = b"\0" + b"\x80" * balls
    stored = b"\x78\x01\x01" + struct.pack("<HH", len(row), len(row) ^ 0xFFFF) + row
    header = struct.pack(">IIBBBBB", balls, 1, 8, 0, 0, 0, 0)
    pixels = stored + struct.pack(">I", zlib.adler32(row))
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", pixels) + _chunk(b"IEND", b"")


def width(data: bytes) -> int:
    """How many balls the picture shows."""
    return int.from_bytes(data[16:20], "big")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
