"""Inputs guided by coverage: `python -m tests.reliability.fuzzing.guided --inputs 8000 --seed 1`.

Needs atheris (extra `fuzz`), which instruments the modules of Assay when they are imported; libFuzzer, below,
keeps what reaches a new branch and goes on from there. Half of its mutations are those of `mutation.py`. Each
door is a process of its own, since libFuzzer ends its process; the corpus is in its memory only.
"""

from __future__ import annotations

import argparse
import mmap
import os
import random
import re
import struct
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

COMPILED = (
    "assay.numbers.kernels",
    "assay.numbers.portable",
    "assay.sandbox",
    "assay.suites.petri.engines",
    "assay.suites.petri.worlds",
    "assay.suites.pilab.environment.randomness",
)
"""What numba compiles or a sandbox runs: instrumented code would be neither."""

MOST_INPUT = 2 << 20
HEADER = struct.Struct("<QQQ")
"""Inputs tried, findings, bytes of the input under way."""


def instrument() -> Any:
    """Load the table with every module of Assay instrumented, those included that are imported later."""
    import atheris

    compiled = {*_using_kernels(), *COMPILED}
    atheris.instrument_imports(include=["assay"], exclude=sorted(compiled)).__enter__()
    return atheris


def _using_kernels() -> list[str]:
    """The modules with functions that are compiled."""
    from tests.reliability.fuzzing.door import ROOT

    source = ROOT / "src"
    found = [
        path
        for path in sorted((source / "assay").rglob("*.py"))
        if re.search(
            r"^from assay(\.kernels)? import .*\bkernels?\b|^import numba|^from assay\.kernels",
            path.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    ]
    return [
        ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__") for path in found
    ]


def _fuzz(atheris: Any, name: str, count: int, seed: int, shared: mmap.mmap, folder: Path) -> None:
    """The life of a child: never returns."""
    from tests.reliability.fuzzing.bounds import Opened, shorter, told
    from tests.reliability.fuzzing.campaign import MOST_FINDINGS
    from tests.reliability.fuzzing.mutation import Mutator
    from tests.reliability.fuzzing.table import doors

    door = doors()[name]
    opened = Opened(door)
    seeds = list(door.seeds())
    mutator = Mutator(door, seeds)
    listed = []
    for number, data in enumerate(mutator.seeds):
        (folder / str(number)).write_bytes(data)
        listed.append(str(folder / str(number)))
    (folder / "list").write_text(",".join(listed))
    log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT)
    os.dup2(log, 2)
    found: set[str] = set()
    tried = 0

    def one(data: bytes) -> None:
        nonlocal tried
        tried += 1
        shared[: HEADER.size] = HEADER.pack(tried, len(found), len(data))
        shared[HEADER.size : HEADER.size + len(data)] = data[:MOST_INPUT]
        finding = opened.try_(data)
        if finding is not None and finding.place not in found:
            found.add(finding.place)
            print(f"FOUND by coverage, seed {seed}: {told(shorter(opened, finding))}", flush=True)
            if len(found) >= MOST_FINDINGS:
                shared[: HEADER.size] = HEADER.pack(tried, len(found), 0)
                os._exit(0)

    def mutate(data: bytes, most: int, number: int) -> bytes:
        rng = random.Random(number)
        if rng.random() < 0.5:
            return bytes(mutator.spoil(rng, bytes(data))[:most])
        return bytes(atheris.Mutate(data, most))

    longest = min(max([4096, *(2 * len(data) for data in mutator.seeds)]), MOST_INPUT)
    options = [
        f"-runs={count}",
        f"-seed={seed}",
        f"-max_len={longest}",
        f"-seed_inputs=@{folder / 'list'}",
        "-timeout=0",
        "-rss_limit_mb=0",
        "-len_control=0",
        "-reload=0",
    ]
    atheris.Setup([sys.argv[0], *options], one, custom_mutator=mutate)
    atheris.Fuzz()


def through(atheris: Any, name: str, count: int, seed: int) -> tuple[int, int, str]:
    """So many inputs through one door: how many were tried, how many findings, and the coverage in words."""
    shared = mmap.mmap(-1, HEADER.size + MOST_INPUT)
    with tempfile.TemporaryDirectory(prefix="assay-fuzz-") as folder:
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            try:
                _fuzz(atheris, name, count, seed, shared, Path(folder))
            finally:
                os._exit(70)
        _, status = os.waitpid(child, 0)
        tried, findings, size = HEADER.unpack(shared[: HEADER.size])
        log = (
            (Path(folder) / "log").read_text(encoding="utf-8", errors="replace")
            if (Path(folder) / "log").exists()
            else ""
        )
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        findings += 1
        data = shared[HEADER.size : HEADER.size + size]
        print(
            f"FOUND by coverage, seed {seed}: {name} ended the process ({code}) over {data[:2000]!r} "
            f"({size} bytes)\n{log[-2000:]}",
            flush=True,
        )
    covered = re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)", log)
    told = (
        f"branches {covered[0][0]} to {covered[-1][0]}, corpus {covered[-1][2]}" if covered else "no coverage"
    )
    return tried, findings, told


def main(arguments: list[str] | None = None) -> int:
    """Run; returns 1 where anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=8_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--door", action="append", default=[])
    args = parser.parse_args(arguments)
    atheris = instrument()
    from tests.reliability.fuzzing.table import doors, quotas

    known = [
        name for name, door in doors().items() if not door.missing and (not args.door or name in args.door)
    ]
    counts = quotas(args.inputs, known)
    done = findings = 0
    began = time.monotonic()
    for name in known:
        started = time.monotonic()
        tried, found, told = through(atheris, name, counts[name], args.seed)
        done += tried
        findings += found
        spent = time.monotonic() - started
        print(
            f"{done} of {sum(counts.values())} inputs, {time.monotonic() - began:.0f} s, seed {args.seed}: "
            f"{name}: {tried} inputs, {spent:.1f} s, {told}",
            flush=True,
        )
    print(
        f"TOTAL {done} inputs guided by coverage through {len(known)} doors, {findings} findings, "
        f"{time.monotonic() - began:.0f} s, seed {args.seed}",
        flush=True,
    )
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
