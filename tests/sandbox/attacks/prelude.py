# What every attack finds: the targets by name (`TARGET`), and short names for what many of them do.
# Executed inside the box; `PREFIX` is how every secret begins.

import ctypes
import os

PREFIX = b"CANARY" + b"-"
NUMBERS = {  # on x86_64, on aarch64
    "acct": (163, 89),
    "add_key": (248, 217),
    "bpf": (321, 280),
    "capset": (126, 91),
    "clone": (56, 220),
    "clone3": (435, 435),
    "fork": (57, None),
    "fsopen": (430, 430),
    "init_module": (175, 105),
    "io_uring_setup": (425, 425),
    "ioprio_set": (251, 30),
    "kcmp": (312, 272),
    "keyctl": (250, 219),
    "memfd_secret": (447, 447),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "prlimit64": (302, 261),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "rt_sigqueueinfo": (129, 138),
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "seccomp": (317, 277),
    "semget": (64, 190),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "setpriority": (141, 140),
    "setrlimit": (160, 164),
    "settimeofday": (164, 170),
    "shmget": (29, 194),
    "swapoff": (168, 225),
    "syslog": (103, 116),
    "tgkill": (234, 131),
    "timer_create": (222, 107),
    "tkill": (200, 130),
    "userfaultfd": (323, 282),
    "vfork": (58, None),
}


def harm():
    print("HARM")


def show(found):
    """Print what may hold a secret."""
    data = found if isinstance(found, bytes) else str(found).encode(errors="replace")
    if PREFIX in data:
        print("FOUND", data[data.index(PREFIX) :][:200])


def syscall(name, *arguments):
    """A system call by its name; `OSError` as Python raises it."""
    number = NUMBERS[name][0 if os.uname().machine == "x86_64" else 1]
    if number is None:
        raise OSError(38, name)
    result = ctypes.CDLL(None, use_errno=True).syscall(
        ctypes.c_long(number), *(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)
    )
    if result < 0:
        raise OSError(ctypes.get_errno(), name)
    return result


def frame(data):
    """Write a message past the loop."""
    message = len(data).to_bytes(4, "big") + data
    while message:
        message = message[os.write(3, message) :]
