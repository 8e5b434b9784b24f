"""Disks that are full or read-only: one clear error, nothing half written, and on it goes afterwards."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence

import pytest
from tests.reliability.faults.smoke import content, different, leftovers, repetitions
from tests.workflow.checkout import Checkout, Run

FILLINGS = repetitions("ASSAY_FILLINGS", 40)
"""In `make soak`."""

MEBIBYTE = 1 << 20


def may_mount() -> bool:
    command = ["unshare", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", "/tmp"]
    return subprocess.run(command, capture_output=True).returncode == 0


pytestmark = pytest.mark.skipif(not may_mount(), reason="this machine lets nobody mount a disk of their own")


def with_disk(
    copy: Checkout, mount: str, relief: str, folders: Sequence[str], target: str = "all"
) -> tuple[Run, str, Run]:
    """A build on a disk with a fault, what is half-written then, and the build after relief.

    `mount` and `relief` are shell commands in a namespace of mounts that ends with the builds. What is on the
    disk in the end is copied to the real one.
    """
    aside = copy.root.parent / "aside"
    half = " ".join(f"-path './{folder}/*'" for folder in folders)
    script = f"""
        {mount} || exit 99
        "$@" > ../first.txt 2>&1; echo $? > ../first.code
        find . "(" {half} ")" "(" -name '.partial-*' -o -name '*.tmp' -o -name '*.part' ")" > ../half.txt
        {relief} || exit 98
        "$@" > ../second.txt 2>&1; echo $? > ../second.code
        rm -rf ../aside; mkdir ../aside
        cp --archive {" ".join(folders)} ../aside/
    """
    run = copy.do(
        *("unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"),
        *copy.build_command(cores="2", target=target),
    )
    assert run.code == 0, run.output
    for folder in folders:
        shutil.rmtree(copy.root / folder)
        (aside / folder).rename(copy.root / folder)
    first, second = (
        Run(int((copy.root.parent / f"{n}.code").read_text()), (copy.root.parent / f"{n}.txt").read_text())
        for n in ("first", "second")
    )
    return first, (copy.root.parent / "half.txt").read_text(), second


def clear_error(run: Run, place: str, said: str, *remedies: str) -> None:
    """Every error of a run is about that place and comes with a remedy; there is no traceback."""
    assert run.code == 1, run.output
    assert "Traceback" not in run.output, run.output
    text = " ".join(run.output.split())  # Snakemake breaks the lines of logs that it shows
    errors = re.findall(r"error: (.*?) remedy: (.{10,40})", text)
    assert errors, run.output
    for error, remedy in errors:
        assert error.startswith(place), run.output
        assert said in error, run.output
        assert any(remedy.startswith(hint) for hint in remedies), run.output


def empty(copy: Checkout, *folders: str) -> None:
    copy.remove("results", "reports", ".snakemake")
    for folder in folders:
        (copy.root / folder).mkdir()


def fill(copy: Checkout, smoke: Checkout, chance, times: int) -> None:
    """Builds whose results are on a disk that is full after a random number of bytes."""
    total = sum(file.stat().st_size for file in (smoke.root / "results").rglob("*") if file.is_file())
    sizes = chance(1)
    for _ in range(times):
        size = sizes.randrange(4096, total)
        empty(copy, "results")
        first, half, second = with_disk(
            copy,
            f"mount -t tmpfs -o size={size} none results",
            f"mount -o remount,size={64 * MEBIBYTE} results",
            ("results",),
        )
        print(f"full after {size} bytes", flush=True)
        clear_error(first, "results", "No space left on device", "free space on that disk", "make room")
        assert half == "", half
        assert second.code == 0, second.output
        assert different(copy, smoke) == []
        assert leftovers(copy) == []


@pytest.mark.full
def test_a_full_disk(copy, smoke, chance):
    fill(copy, smoke, chance, 2)


@pytest.mark.soak
def test_full_disks(copy, smoke, chance):
    fill(copy, smoke, chance, FILLINGS)


@pytest.mark.full
@pytest.mark.parametrize("folder", ["results", "reports", ".snakemake"])
def test_a_read_only_folder(copy, smoke, folder):
    empty(copy, "results", "reports", ".snakemake")
    first, half, second = with_disk(
        copy,
        f"mount --bind {folder} {folder} && mount -o remount,bind,ro {folder}",
        f"umount {folder}",
        ("results", "reports"),
        target="petri",
    )
    clear_error(first, folder, "Read-only file system", "work in a checkout on a disk")
    assert half == ""
    assert second.code == 0, second.output
    assert set(different(copy, smoke)) == content(smoke).keys() - content(copy).keys()
    assert "results/petri/summary.parquet" in content(copy)


@pytest.mark.full
def test_a_store_that_cannot_be_written_to_is_no_failure(copy, smoke):
    empty(copy, "results", "reports", ".snakemake")
    mount = "mount --bind .store .store && mount -o remount,bind,ro .store"
    first, half, second = with_disk(copy, mount, "umount .store", ("results", "reports"), target="petri")
    assert (first.code, second.code, half) == (0, 0, ""), first.output
    assert set(different(copy, smoke)) == content(smoke).keys() - content(copy).keys()
