"""A binding of Landlock, by which a process without privileges gives up access to files permanently.

It follows the kernel's documentation "Landlock: unprivileged access control". The ABI version of a kernel
determines what it can restrict: access to files from version 1, truncation from 3, TCP from 4, and abstract
unix sockets and signals from 6.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

NEEDED = 3
"""The lowest ABI version that can forbid the truncation of files."""

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REMOVE_DIR, REMOVE_FILE, MAKE_CHAR, MAKE_DIR, MAKE_REG = 1 << 4, 1 << 5, 1 << 6, 1 << 7, 1 << 8
MAKE_SOCK, MAKE_FIFO, MAKE_BLOCK, MAKE_SYM, REFER, TRUNCATE, IOCTL_DEV = (
    1 << 9,
    1 << 10,
    1 << 11,
    1 << 12,
    1 << 13,
    1 << 14,
    1 << 15,
)
OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
READING = READ_FILE | READ_DIR
WRITING = READING | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER | TRUNCATE

BIND_TCP, CONNECT_TCP = 1, 2
SCOPE_ABSTRACT_SOCKETS, SCOPE_SIGNALS = 1, 2

_libc = ctypes.CDLL(None, use_errno=True)


def abi() -> int:
    """The ABI version of the kernel's Landlock, or 0 if it is not available."""
    return max(0, int(_libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))))


def confine(readable: Iterable[str], writable: Iterable[str]) -> None:
    """Give up, permanently, access to all files except those at and below the given paths.

    As far as the kernel can restrict them, the process also gives up TCP, abstract unix sockets of other
    processes, and signals to other processes. It needs `no_new_privs`.

    Args:
        readable: Files and folders to which read access is kept.
        writable: Files and folders to which read and write access is kept. In both arguments, paths that do
            not exist are ignored.

    Raises:
        OSError: Landlock is not available, or refuses a rule.
    """
    version = abi()
    handled = (1 << 13) - 1
    for since, right in ((2, REFER), (3, TRUNCATE), (5, IOCTL_DEV)):
        if version >= since:
            handled |= right
    fields = [handled]
    if version >= 4:
        fields.append(BIND_TCP | CONNECT_TCP)
    if version >= 6:
        fields.append(SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS)
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    ruleset = _libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0))
    if ruleset < 0:
        _fail("landlock_create_ruleset")
    try:
        for paths, rights in ((readable, READING), (writable, WRITING)):
            for path in paths:
                _allow(ruleset, path, rights & handled)
        if _libc.syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)) < 0:
            _fail("landlock_restrict_self")
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            rights &= OF_A_FILE
        rule = struct.pack("=Qi", rights, fd)
        if _libc.syscall(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(1), rule, ctypes.c_uint32(0)) < 0:
            _fail("landlock_add_rule")
    finally:
        os.close(fd)


def _fail(name: str) -> None:
    number = ctypes.get_errno()
    raise OSError(number, f"{name}: {os.strerror(number)}")
