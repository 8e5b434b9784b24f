"""System calls of Linux that Python 3.11 does not provide, called by ctypes.

They are described in their manual pages (section 2). If a call fails, the functions raise `OSError` with its
name.
"""

from __future__ import annotations

import ctypes
import os

NEW_NAMESPACES = {
    "mount": 0x00020000,
    "cgroup": 0x02000000,
    "uts": 0x04000000,
    "ipc": 0x08000000,
    "pid": 0x20000000,
    "net": 0x40000000,
}
NEW_USER = 0x10000000

READ_ONLY, NO_SUID, NO_DEVICES, NO_EXEC = 0x1, 0x2, 0x4, 0x8
REMOUNT, BIND, RECURSIVE, PRIVATE = 0x20, 0x1000, 0x4000, 0x40000
DETACH = 0x2

NO_RANDOM_ADDRESSES = 0x0040000

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = (
    1,
    4,
    24,
    36,
    38,
)
_CAPSET = {"x86_64": 126, "aarch64": 91}
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_MOUNT_SETATTR = 442
_CAPABILITIES = 64
_AT_RECURSIVE = 0x8000

_libc = ctypes.CDLL(None, use_errno=True)


def machine() -> str:
    """The processor's architecture as Linux names it."""
    return os.uname().machine


def syscall(name: str, number: int, *arguments: object) -> int:
    """Make a system call by its number. `name` is used in error messages."""
    result: int = _libc.syscall(
        ctypes.c_long(number), *(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)
    )
    return _checked(name, result)


def unshare(flags: int) -> None:
    """Move this process into new namespaces. A new process namespace applies to its children only."""
    _checked("unshare", _libc.unshare(ctypes.c_int(flags)))


def mount(source: str, target: str, kind: str | None = None, flags: int = 0, options: str = "") -> None:
    """Mount a file system, or change an existing mount."""
    _checked(
        f"mount {target}",
        _libc.mount(
            source.encode(),
            target.encode(),
            kind.encode() if kind else None,
            ctypes.c_ulong(flags),
            options.encode() or None,
        ),
    )


def unmount(target: str) -> None:
    """Detach a mount from this namespace at once."""
    _checked("umount2", _libc.umount2(target.encode(), DETACH))


def make_read_only(target: str, devices: bool = False) -> None:
    """Make a mount and all mounts below it read-only, and ignore set-user-ID bits of programs on them.

    Device files can be used only if `devices` is true. They can then also be written to.
    """
    flags = READ_ONLY | NO_SUID | (0 if devices else NO_DEVICES)

    class Attributes(ctypes.Structure):
        _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "user")]

    wanted = Attributes(flags, 0, 0, 0)
    try:
        syscall(
            "mount_setattr",
            _MOUNT_SETATTR,
            -100,
            ctypes.c_char_p(target.encode()),
            _AT_RECURSIVE,
            ctypes.byref(wanted),
            ctypes.sizeof(wanted),
        )
    except OSError:  # before Linux 5.12; keep the flags that a user namespace may not clear
        kept = os.statvfs(target).f_flag & (NO_EXEC | 0x400 | 0x800 | 0x200000)
        mount("none", target, None, REMOUNT | BIND | flags | kept)


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root of this mount namespace and put the former root at `old`."""
    syscall(
        "pivot_root", _PIVOT_ROOT[machine()], ctypes.c_char_p(new.encode()), ctypes.c_char_p(old.encode())
    )


def no_new_privileges() -> None:
    """Prevent this process and its children from gaining privileges by executing programs."""
    _prctl("no_new_privs", _PR_SET_NO_NEW_PRIVS, 1)


def die_with_parent(signal: int) -> None:
    """Make the kernel send this signal to the process when its parent ends. A change of user cancels this."""
    _prctl("pdeathsig", _PR_SET_PDEATHSIG, signal)


def not_dumpable() -> None:
    """Prevent other processes of this user, including the keeper, from reading the memory of this one."""
    _prctl("dumpable", _PR_SET_DUMPABLE, 0)


def adopt_orphans() -> None:
    """Make this process the new parent of descendants whose parent has ended."""
    _prctl("subreaper", _PR_SET_CHILD_SUBREAPER, 1)


def drop_bounds() -> None:
    """Remove all capabilities from the bounding set, so that programs executed later have none."""
    for capability in range(_CAPABILITIES):
        # The result is ignored: the call fails for unknown capabilities, and for users without capabilities.
        _libc.prctl(_PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0)


def drop_capabilities() -> None:
    """Give up all capabilities permanently."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    nothing = (ctypes.c_uint32 * 6)()
    syscall("capset", _CAPSET[machine()], ctypes.byref(header), ctypes.byref(nothing))


def fix_addresses() -> bool:
    """Switch off address randomisation from the next exec on. Return False if an exec is needed for that."""
    present = _libc.personality(ctypes.c_ulong(0xFFFFFFFF))
    if present < 0 or present & NO_RANDOM_ADDRESSES:
        return True
    return bool(_libc.personality(ctypes.c_ulong(present | NO_RANDOM_ADDRESSES)) < 0)


_SIG_BLOCK, _SIG_UNBLOCK = 0, 1
_ALL_SIGNALS = ctypes.create_string_buffer(b"\xff" * 128, 128)
_sigmask = _libc.pthread_sigmask
_sigmask.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


def hear_signals(heard: bool) -> None:
    """Unblock or block all signals. `signal.pthread_sigmask` takes ten times as long."""
    _sigmask(_SIG_UNBLOCK if heard else _SIG_BLOCK, _ALL_SIGNALS, None)


def _prctl(name: str, option: int, value: int) -> None:
    _checked(name, _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0))


def _checked(name: str, result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result
