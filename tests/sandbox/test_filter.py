"""The filter of system calls, executed by a small machine of our own, for both architectures."""

from __future__ import annotations

import errno
import struct

import pytest

from assay.sandbox.inside.seccomp import ABSENT, ALLOWED, ARCHITECTURES, CONDITIONAL, OWN_FILES, program

PID = 4242
ALLOW, KILL = 0x7FFF0000, 0x80000000
REFUSE, UNKNOWN, UNSUPPORTED = (
    0x00050000 | reason for reason in (errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP)
)
DANGEROUS = {  # by number on x86_64, on aarch64
    "socket": (41, 198),
    "connect": (42, 203),
    "sendto": (44, 206),
    "socketpair": (53, 199),
    "clone": (56, 220),
    "execve": (59, 221),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "mount": (165, 40),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "memfd_create": (319, 279),
    "shmget": (29, 194),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "keyctl": (250, 219),
    "setresuid": (117, 147),
    "capset": (126, 91),
    "seccomp": (317, 277),
    "personality": (135, 92),
    "symlinkat": (266, 36),
    "linkat": (265, 37),
    "mknodat": (259, 33),
    "truncate": (76, 45),
    "fchownat": (260, 54),
    "setxattr": (188, 5),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "pidfd_open": (434, 434),
    "open_tree": (428, 428),
    "landlock_restrict_self": (446, 446),
    "timer_create": (222, 107),
    "flock": (73, 32),
    "memfd_secret": (447, 447),
    "mq_open": (240, 180),
    "add_key": (248, 217),
    "setrlimit": (160, 164),
    "execveat": (322, 281),
}


def verdict(machine: str, number: int, *arguments: int, files: bool = True, audit: int | None = None) -> int:
    """What the filter says to a call."""
    code = program(machine, PID, files)
    padded = (*arguments, *(0,) * (6 - len(arguments)))
    data = struct.pack("=IIQ6Q", number, ARCHITECTURES[machine] if audit is None else audit, 0, *padded)
    at = accumulator = 0
    while True:
        operation, if_true, if_false, value = struct.unpack_from("=HBBI", code, at * 8)
        at += 1
        if operation == 0x20:
            accumulator = struct.unpack_from("=I", data, value)[0]
        elif operation == 0x15:
            at += if_true if accumulator == value else if_false
        elif operation == 0x35:
            at += if_true if accumulator >= value else if_false
        else:
            assert operation == 0x06
            return int(value)


@pytest.fixture(params=sorted(ARCHITECTURES))
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def number(machine: str, numbers: tuple[int | None, int | None]) -> int | None:
    return numbers[list(ARCHITECTURES).index(machine)]


def test_what_is_listed_is_allowed(machine: str) -> None:
    for name, numbers in ALLOWED.items():
        known = number(machine, numbers)
        assert known is None or verdict(machine, known, 7, 7, 7) == ALLOW, name


def test_only_where_files_are_the_boxes_own(machine: str) -> None:
    for name, numbers in OWN_FILES.items():
        known = number(machine, numbers)
        if known is not None:
            assert verdict(machine, known) == ALLOW
            # The C library writes instead, where reserving is not supported.
            refused = UNSUPPORTED if name == "fallocate" else REFUSE
            assert verdict(machine, known, files=False) == refused


@pytest.mark.parametrize("name", sorted(DANGEROUS))
def test_what_is_dangerous_is_refused(machine: str, name: str) -> None:
    known = number(machine, DANGEROUS[name])
    assert known is not None
    assert verdict(machine, known) == REFUSE


def test_everything_else_is_refused_or_unknown(machine: str) -> None:
    tables = (ALLOWED, OWN_FILES, CONDITIONAL, ABSENT)
    listed = {number(machine, numbers) for table in tables for numbers in table.values()}
    for call in set(range(600)) - listed:
        assert verdict(machine, call) == (UNKNOWN if call >= 470 else REFUSE), call
    for numbers in ABSENT.values():
        known = number(machine, numbers)
        assert known is not None and verdict(machine, known) == UNKNOWN


def test_arguments_are_judged_whole(machine: str) -> None:
    def call(name: str, *arguments: int) -> int:
        known = number(machine, CONDITIONAL[name])
        assert known is not None
        return verdict(machine, known, *arguments)

    high = 1 << 32
    assert call("kill", PID, 9) == call("tgkill", PID, 1, 9) == ALLOW
    for whom in (1, 0, 2**64 - 1, PID + high):
        assert call("kill", whom, 9) == call("tgkill", whom, 1, 9) == REFUSE
    assert call("fcntl", 3, 1) == call("fcntl", 3, 1030) == ALLOW
    for command in (8, 10, 15, 1024, 1031, 1033, 1 + high):  # among them F_SETOWN, F_SETSIG, F_SETOWN_EX
        assert call("fcntl", 3, command) == REFUSE
    assert call("ioctl", 0, 0x5401) == ALLOW
    for command in (0x5412, 0x8901, 0x5401 + high):  # among them TIOCSTI
        assert call("ioctl", 0, command) == REFUSE
    assert call("prctl", 15) == ALLOW
    for option in (1, 4, 22, 38, 36, 15 + high):  # among them the signal at the parent's end
        assert call("prctl", option) == REFUSE
    assert call("prlimit64", 0, 7, 0, 1) == ALLOW
    for arguments in ((0, 7, 1, 0), (0, 7, high, 0), (1, 7, 0, 0), (high, 7, 0, 0)):
        assert call("prlimit64", *arguments) == REFUSE


def test_another_numbering_ends_the_process() -> None:
    assert verdict("x86_64", 20, audit=0x40000003) == KILL  # 32 bits
    assert verdict("x86_64", 0x40000000) == KILL  # x32
    assert verdict("aarch64", 20, audit=0x40000028) == KILL
