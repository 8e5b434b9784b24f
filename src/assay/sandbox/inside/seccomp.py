"""The system calls that a box may make: an allow list that the kernel enforces (seccomp).

Other calls fail with EPERM. Among them are those for sockets, new processes and threads, execution of
programs, signals to other processes, memory of other processes, mounts, namespaces, devices, links and shared
memory. Calls that future kernels add fail with ENOSYS, so that the C library falls back to older ones. A call
with the calling convention of another architecture kills the process.

The filter is a classic BPF program that reads `struct seccomp_data` (number, architecture, six arguments).
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Iterable

from . import kernel

Numbers = dict[str, tuple[int | None, int | None]]

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The audit identifier of each architecture. System call numbers in this module are in the same order."""

ALLOWED: Numbers = {
    # memory and open files
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "fstat": (5, 80),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "munmap": (11, 215),
    "mprotect": (10, 226),
    "brk": (12, 214),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "msync": (26, 227),
    "mincore": (27, 232),
    "membarrier": (324, 283),
    "readv": (19, 65),
    "writev": (20, 66),
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "preadv": (295, 69),
    "pwritev": (296, 70),
    "copy_file_range": (326, 285),
    "sendfile": (40, 71),
    "ftruncate": (77, 46),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "fadvise64": (221, 223),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "close_range": (436, 436),
    "pipe": (22, None),
    "pipe2": (293, 59),
    # files by name
    "open": (2, None),
    "openat": (257, 56),
    "stat": (4, None),
    "lstat": (6, None),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getdents": (78, None),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "chdir": (80, 49),
    "fchdir": (81, 50),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "rmdir": (84, None),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "umask": (95, 166),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    # waiting
    "futex": (202, 98),
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "epoll_create": (213, None),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_wait": (232, None),
    "epoll_pwait": (281, 22),
    "eventfd": (284, None),
    "eventfd2": (290, 19),
    "timerfd_create": (283, 85),
    "timerfd_settime": (286, 86),
    "timerfd_gettime": (287, 87),
    "pause": (34, None),
    "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115),
    # time
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "alarm": (37, None),
    "setitimer": (38, 103),
    "getitimer": (36, 102),
    # signals to the process itself
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137),
    "rt_sigsuspend": (130, 133),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    # information about the process and the machine
    "getpid": (39, 172),
    "gettid": (186, 178),
    "getppid": (110, 173),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getresuid": (118, 148),
    "getresgid": (120, 150),
    "getgroups": (115, 158),
    "getpgrp": (111, None),
    "getpgid": (121, 155),
    "getsid": (124, 156),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "times": (100, 153),
    "getrusage": (98, 165),
    "getrlimit": (97, 163),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "getcpu": (309, 168),
    "getpriority": (140, 141),
    "set_robust_list": (273, 99),
    "get_robust_list": (274, 100),
    "set_tid_address": (218, 96),
    "rseq": (334, 293),
    "arch_prctl": (158, None),
    "getrandom": (318, 278),
    "wait4": (61, 260),
    "waitid": (247, 95),
    "exit": (60, 93),
    "exit_group": (231, 94),
}
"""Calls that are always allowed, with their numbers on x86_64 and aarch64.

The number is None if an architecture does not have the call. Two calls are left out on purpose. Timers of
`timer_create` can send SIGCONT, by which a stopped box could continue itself. `flock` can lock files that the
box may only read, which would block other processes.
"""

OWN_FILES: Numbers = {
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "utimensat": (280, 88),
    "fallocate": (285, 47),
}
"""Calls that are allowed only if every visible file is the box's own or read-only.

They change the permissions or times of files by name, or allocate disk space faster than the keeper measures
it.
"""

CONDITIONAL: Numbers = {
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "kill": (62, 129),
    "tgkill": (234, 131),
}
"""Calls that are allowed only with certain arguments (see `program`)."""

ABSENT: Numbers = {
    "clone3": (435, 435),
    "openat2": (437, 437),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
}
"""Calls that fail with ENOSYS, so that libraries fall back to older calls, which the filter can check."""

NEWEST = 470
"""The lowest system call number that was unassigned when this list was made."""

FCNTL = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032)
"""Allowed commands of `fcntl`: for duplicates, flags, locks and the size of a pipe.

F_SETOWN is left out, because it can make the kernel send signals to other processes.
"""

IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""Allowed requests of `ioctl`: TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX."""

PRCTL = (3, 15, 16, 21, 23, 39, 0x53564D41)
"""Allowed options of `prctl`: those that read settings, or set names of threads and memory areas."""

_KILL, _ERRNO, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_X32 = 0x40000000

_SET_MODE_FILTER = 1
_SECCOMP = {"x86_64": 317, "aarch64": 277}


def program(machine: str, pid: int, own_files: bool) -> bytes:
    """Assemble the filter program.

    Args:
        machine: The architecture, a key of `ARCHITECTURES`.
        pid: The id of the process, which may send signals only to itself.
        own_files: Whether the calls of `OWN_FILES` are allowed.

    Returns:
        The bytes of an array of `struct sock_filter`.

    Raises:
        KeyError: The architecture is unknown.
    """
    column = list(ARCHITECTURES).index(machine)

    def numbers(table: Numbers) -> Iterable[tuple[str, int]]:
        for name, known in table.items():
            number = known[column]
            if number is not None:
                yield name, number

    number_of = dict(numbers(CONDITIONAL))
    code = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_EQUAL, ARCHITECTURES[machine], 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
    ]
    if machine == "x86_64":
        code += [_step(_AT_LEAST, _X32, 0, 1), _step(_RETURN, _KILL)]
    for table in (ALLOWED, OWN_FILES) if own_files else (ALLOWED,):
        for _, number in numbers(table):
            code += [_step(_EQUAL, number, 0, 1), _step(_RETURN, _ALLOW)]
    for name, argument, values in (
        ("fcntl", 1, FCNTL),
        ("ioctl", 1, IOCTL),
        ("prctl", 0, PRCTL),
        ("kill", 0, (pid,)),
        ("tgkill", 0, (pid,)),
    ):
        code += _when(number_of[name], [(argument, values)])
    if not own_files:  # after this error, the C library writes zeros instead
        code += [
            _step(_EQUAL, dict(numbers(OWN_FILES))["fallocate"], 0, 1),
            _step(_RETURN, _ERRNO | errno.EOPNOTSUPP),
        ]
    # The process may read its own limits, but not change them.
    code += _when(number_of["prlimit64"], [(0, (0,)), (2, (0,))])
    for _, number in numbers(ABSENT):
        code += [_step(_EQUAL, number, 0, 1), _step(_RETURN, _ERRNO | errno.ENOSYS)]
    code += [
        _step(_AT_LEAST, NEWEST, 0, 1),
        _step(_RETURN, _ERRNO | errno.ENOSYS),
        _step(_RETURN, _ERRNO | errno.EPERM),
    ]
    return b"".join(code)


def install(pid: int, own_files: bool) -> None:
    """Install the filter in this process. It cannot be removed again, and needs `no_new_privs`.

    Raises:
        OSError: The kernel refuses the filter.
    """
    code = program(kernel.machine(), pid, own_files)
    text = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    whole = Program(len(code) // 8, ctypes.addressof(text))
    kernel.syscall("seccomp", _SECCOMP[kernel.machine()], _SET_MODE_FILTER, 0, ctypes.byref(whole))


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _when(number: int, conditions: list[tuple[int, tuple[int, ...]]]) -> list[bytes]:
    """Return instructions that allow a call if each given argument has one of its values.

    All 64 bits of an argument are compared. If a value does not match, the call fails with EPERM.
    """
    body: list[bytes] = []
    for argument, values in conditions:
        refuse = _step(_RETURN, _ERRNO | errno.EPERM)
        low = _ARGUMENTS + 8 * argument
        body += [_step(_LOAD, low + 4), _step(_EQUAL, 0, 1, 0), refuse, _step(_LOAD, low)]
        for left, value in zip(range(len(values), 0, -1), values, strict=True):
            body.append(_step(_EQUAL, value, left, 0))  # jumps behind the refusal
        body.append(refuse)
    body.append(_step(_RETURN, _ALLOW))
    return [_step(_EQUAL, number, 0, len(body)), *body]
