"""Files of a build with a byte changed or their end cut off, and what depends on them."""

from __future__ import annotations

import base64
import json
import os
import random
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from tests.workflow.builds import RECORDED
from tests.workflow.checkout import Checkout

PROVENANCE = "results/provenance"


class Kind(NamedTuple):
    """Files of one kind: where they are, which of them, and how many of a hundred flips are theirs."""

    folder: str
    belongs: Callable[[str], bool]
    share: int


def ending(*ends: str, but: str = "\0") -> Callable[[str], bool]:
    """Whether a path ends so, and does not hold `but`."""
    return lambda path: path.endswith(ends) and but not in path


OUTPUTS = {
    "merged table": Kind("results", lambda p: p.endswith(".parquet") and "/shards/" not in p, 16),
    "shard": Kind("results", lambda p: p.endswith(".parquet") and "/shards/" in p, 16),
    "artefact": Kind("results", lambda p: "/artefacts/" in p and PROVENANCE not in p, 2),
    "table to download": Kind("reports", ending(".parquet"), 6),
    "manifest": Kind("results", lambda p: p == "results/built.json", 1),
    "record of a job": Kind(PROVENANCE, ending(".json"), 8),
    "JSON": Kind("reports", ending(".json"), 5),
    "SVG": Kind("reports", ending(".svg"), 6),
    "HTML": Kind("reports", ending(".html", but="verdict"), 8),
    "CSV, CSS, script": Kind("reports", ending(".csv", ".css", ".js", "Snakefile"), 6),
}
"""What a run has made, and makes again."""

STORED = {
    "store: record": Kind(".store/jobs", lambda p: True, 6),
    "store: content": Kind(".store/blobs", lambda p: True, 6),
    "store: digest": Kind(".store/digests", lambda p: True, 1),
}
"""What the store keeps, and drops when it is damaged."""

INPUTS = {
    "recording": Kind(f"recordings/{RECORDED}", ending(".jsonl"), 6),
    "frozen task": Kind("tasks", lambda p: "smoke-v0" in p, 7),
}
"""What nobody can make again."""

KINDS: Mapping[str, Kind] = {**OUTPUTS, **STORED, **INPUTS}


class Flaw(NamedTuple):
    """What was done to a file: a byte changed from what to what, or everything from there on cut off."""

    kind: str
    path: str
    at: int
    before: int | None = None
    after: int | None = None


Spoiler: TypeAlias = Callable[[bytearray, random.Random], tuple[int, int | None, int | None]]
"""Spoils bytes in place: where, and the byte there before and after."""


def candidates(checkout: Checkout) -> dict[str, list[str]]:
    """The files of each kind that hold at least a byte."""
    return {name: list(_files(checkout.root, kind)) for name, kind in KINDS.items()}


def _files(root: Path, kind: Kind) -> Iterable[str]:
    for file in sorted((root / kind.folder).rglob("*")):
        path = file.relative_to(root).as_posix()
        if file.is_file() and file.stat().st_size and kind.belongs(path):
            yield path


def flip(data: bytearray, chance: random.Random) -> tuple[int, int, int]:
    """Change one byte."""
    at = chance.randrange(len(data))
    before = data[at]
    data[at] ^= chance.randrange(1, 256)
    return at, before, data[at]


def cut(data: bytearray, chance: random.Random) -> tuple[int, None, None]:
    """Cut off what follows a byte, or everything."""
    at = chance.randrange(len(data))
    del data[at:]
    return at, None, None


def draw(checkout: Checkout, number: int, spoil: Spoiler, chance: random.Random) -> list[Flaw]:
    """Spoil so many different files, their kinds by their shares.

    Half of them keep their old time, as on a disk that decays. The faults are independent: of what a job
    has made and its record of that, not both are spoilt.
    """
    found = candidates(checkout)
    record_of = {out: record for record, job in jobs_of(checkout).items() for out in outputs_of(job)}
    shares = {name: kind.share for name, kind in KINDS.items() if found[name]}
    flaws: dict[str, Flaw] = {}
    while len(flaws) < number:
        (kind,) = chance.choices(list(shares), list(shares.values()))
        path = chance.choice(found[kind])
        if path in flaws or record_of.get(path) in flaws or path in map(record_of.get, flaws):
            continue
        file = checkout.root / path
        status, data = file.stat(), bytearray(file.read_bytes())
        flaws[path] = Flaw(kind, path, *spoil(data, chance))
        file.write_bytes(data)
        if chance.random() < 0.5:
            os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    return list(flaws.values())


def jobs_of(checkout: Checkout) -> dict[str, dict[str, object]]:
    """What each record says, by the record's path."""
    folder = checkout.root / PROVENANCE
    return {
        file.relative_to(checkout.root).as_posix(): json.loads(file.read_text())
        for file in sorted(folder.rglob("*.json"))
    }


def below(checkout: Checkout, damaged: Iterable[str]) -> set[str]:
    """What is made again where damaged files are: the outputs of their jobs, and of all below."""
    made_of: dict[str, list[str]] = {}
    for file in (checkout.root / ".snakemake/metadata").rglob("*"):
        if file.is_file():
            name = file.relative_to(checkout.root / ".snakemake/metadata").as_posix()
            output = base64.urlsafe_b64decode(name.replace("/@", "")).decode()
            made_of[output] = json.loads(file.read_text())["input"]
    together = [set(outputs_of(job)) for job in jobs_of(checkout).values()]
    reached = set(damaged)
    while True:
        more = {out for out, inputs in made_of.items() if reached & set(inputs)}
        more |= {out for outputs in together if reached & outputs for out in outputs}
        if more <= reached:
            return reached
        reached |= more


def outputs_of(job: Mapping[str, object]) -> dict[str, tuple[str, int]]:
    """What a record says of the outputs: path -> sha256, size."""
    outputs = job["outputs"]
    assert isinstance(outputs, dict)
    return outputs


def entry_files(job: Mapping[str, object]) -> set[str]:
    """The files of the store from which a job is restored."""
    key = str(job["key"])
    hashes = [("jobs", key), *(("blobs", sha256) for sha256, _ in outputs_of(job).values())]
    return {f".store/{kind}/{digest[:2]}/{digest[2:]}" for kind, digest in hashes}
