"""A cluster of one node on this machine, run by SLURM: its own munged, slurmctld and slurmd below one folder.

It meets no other cluster on the host: its key, socket, ports and files are its own, and all traffic stays on
the loopback interface. It needs no systemd, no cgroups and no database, so nothing polices memory.
"""

from __future__ import annotations

import getpass
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "scontrol", "sinfo")
PARTITION = "debug"
PLACES = (os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin", "/sbin")
"""Where programs are looked for: daemons lie where an ordinary user's PATH does not lead."""

START_SECONDS = 30
STOP_SECONDS = 30

CONFIGURATION = """\
ClusterName=assay
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={base}/munge/socket
StateSaveLocation={base}/state
SlurmdSpoolDir={base}/spool
SlurmctldPidFile={base}/slurmctld.pid
SlurmdPidFile={base}/slurmd.pid
SlurmctldLogFile={base}/log/slurmctld.log
SlurmdLogFile={base}/log/slurmd.log
# Nothing that would need cgroups, an MPI or a database.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
# Jobs start at once; ended ones stay in sight of squeue for MinJobAge seconds.
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,defer
MinJobAge=3600
ReturnToService=2
SlurmctldTimeout=30
SlurmdTimeout=30
KillWait=5
InactiveLimit=0
# What jobs ask for is pretended to be there: the tests are about submission, not about capacity.
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName={partition} Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""

SRUN = """\
#!/bin/sh
# Snakemake removes each variable SLURM_* before it calls srun, so the place of the configuration travels as
# CLUSTER_CONF. A site does not need this: there the configuration is where SLURM looks for it.
SLURM_CONF="$CLUSTER_CONF" exec {srun} "$@"
"""


LIMITER = """\
#!/bin/sh
# Refuses a call where {most} were made within the last minute, by whichever program of SLURM.
exec 9>>{folder}/calls
flock 9
now=$(date +%s)
if [ "$(awk -v now="$now" '$1 > now - 60' {folder}/calls | wc -l)" -ge {most} ]; then
    echo "$now {name}" >>{folder}/refused
    echo "{name}: error: too many requests" >&2
    exit 1
fi
echo "$now {name}" >&9
exec 9>&-
exec {program} "$@"
"""


class ClusterJob(NamedTuple):
    """A job as SLURM sees it; `what` names the rule, or the group and all its rules."""

    number: str
    state: str
    what: str


def missing() -> list[str]:
    """The programs of SLURM and munge that are not installed here."""
    return [name for name in PROGRAMS if _find(name) is None]


class Node:
    """The running cluster. `environment` is what a client needs to find it.

    `RuntimeError` with the end of the daemons' logs where it does not come up.
    """

    def __init__(self, base: Path, cpus: int = 4, memory: int = 64_000) -> None:
        self.base = base
        self.host = socket.gethostname().partition(".")[0]
        for name in ("munge", "state", "spool", "log", "bin"):
            (base / name).mkdir(parents=True)
        (base / "munge").chmod(0o700)
        key = base / "munge" / "key"
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(1024))
        controller_port, node_port = _free_ports(2)
        values = {"base": base, "host": self.host, "user": getpass.getuser(), "partition": PARTITION}
        ports = {"controller_port": controller_port, "node_port": node_port}
        text = CONFIGURATION.format(**values, **ports, cpus=cpus, memory=memory)
        (base / "slurm.conf").write_text(text)
        wrapper = base / "bin" / "srun"
        wrapper.write_text(SRUN.format(srun=_find("srun")))
        wrapper.chmod(0o755)
        self.environment = {
            "SLURM_CONF": str(base / "slurm.conf"),
            "CLUSTER_CONF": str(base / "slurm.conf"),
            "PATH": f"{base / 'bin'}:{os.environ['PATH']}",
        }

    # --- up and down ---------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the three daemons and wait until the node is idle."""
        munge = self.base / "munge"
        self._run(
            *("munged", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket"),
            *(f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed"),
        )
        self._run("slurmctld", "-f", self.environment["SLURM_CONF"])
        self._run("slurmd", "-f", self.environment["SLURM_CONF"])
        self._wait(lambda: self.ask("sinfo", "-h", "-o", "%T", check=False) == "idle", START_SECONDS, "start")

    def stop(self) -> None:
        """Cancel all jobs, then end the daemons, by process id only."""
        if self._alive("slurmctld.pid"):
            self.clear()
            self.ask("scontrol", "shutdown", check=False)
        try:
            daemons = ("slurmctld.pid", "slurmd.pid")
            self._wait(lambda: not any(map(self._alive, daemons)), STOP_SECONDS, "stop")
        finally:
            for name in ("slurmctld.pid", "slurmd.pid", "munge/pid"):
                if process := self._alive(name):
                    os.kill(process, signal.SIGTERM)
        # It removes its own files, and whoever removes the folder must not meet it.
        self._wait(lambda: not self._alive("munge/pid"), STOP_SECONDS, "stop")

    def clear(self) -> None:
        """Cancel every job and wait until all have ended: a shutdown would leave their processes behind."""
        self.ask("scancel", f"--user={getpass.getuser()}", check=False)
        self._wait(lambda: self.ask("squeue", "-h", check=False) == "", STOP_SECONDS, "clear its queue")

    # --- asking --------------------------------------------------------------------------------------

    def ask(self, program: str, *arguments: str, check: bool = True) -> str:
        """What a client program prints."""
        answer = subprocess.run(
            [_find(program) or program, *arguments],
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            timeout=60,
        )
        if check and answer.returncode:
            raise RuntimeError(f"{program}: {answer.stderr.strip()}\n{self._logs()}")
        return answer.stdout.strip()

    def jobs(self, folder: Path) -> list[ClusterJob]:
        """The jobs that were submitted from that folder, in the order of their numbers."""
        lines = self.ask("squeue", "-h", "--states=all", "--sort=i", "-o", "%i|%T|%Z|%k").splitlines()
        rows = [line.split("|", 3) for line in lines]
        return [
            ClusterJob(number, state, what) for number, state, place, what in rows if place == str(folder)
        ]

    # --- inside --------------------------------------------------------------------------------------

    def _run(self, program: str, *arguments: str) -> None:
        # A daemon keeps what it inherits: no pipe of the tests, on which they would wait for ever.
        with (self.base / "log" / f"{program}.out").open("w") as said:
            command = [_find(program) or program, *arguments]
            done = subprocess.run(command, stdout=said, stderr=said, timeout=60)
        if done.returncode:
            raise RuntimeError(f"{program} does not start: exit code {done.returncode}\n{self._logs()}")

    def _wait(self, reached: Callable[[], bool], seconds: float, what: str) -> None:
        deadline = time.monotonic() + seconds
        while not reached():
            if time.monotonic() > deadline:
                raise RuntimeError(f"the cluster does not {what} within {seconds} s\n{self._logs()}")
            time.sleep(0.1)

    def _alive(self, pid_file: str) -> int:
        """The process of that pid file, 0 where there is none."""
        try:
            process = int((self.base / pid_file).read_text())
            os.kill(process, 0)
        except (OSError, ValueError):
            return 0
        return process

    def _logs(self) -> str:
        files = [self.base / "munge" / "log", *sorted((self.base / "log").iterdir())]
        tails = [(file.name, file.read_text().splitlines()[-8:]) for file in files if file.exists()]
        return "\n".join(f"--- {name}\n" + "\n".join(lines) for name, lines in tails)


def limit_calls(folder: Path, most: int) -> None:
    """Write programs that ask SLURM into a folder for PATH, which refuse more than so many calls a minute."""
    for name in ("sbatch", "squeue", "sacct", "scancel", "sinfo", "scontrol"):
        if program := _find(name):
            (folder / name).write_text(LIMITER.format(most=most, folder=folder, name=name, program=program))
            (folder / name).chmod(0o755)


def _find(program: str) -> str | None:
    return shutil.which(program, path=":".join(PLACES))


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
