"""What hashing, writing and merging cost in time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.measurements import Record
from pytest_benchmark.fixture import BenchmarkFixture

from assay.tables.digest import file_digest, table_digests
from assay.tables.reader import read_rows
from assay.tables.schemas.scores import SCORES
from assay.tables.writer import merge, write_table
from assay.verdict.manifest import BUILT, FROZEN, Output, build_manifest, write_manifest
from assay.verdict.verify import verify

ROWS = 200_000


def scores(first: int, n: int, agent: str = "ofat") -> Iterator[dict[str, Any]]:
    for at in range(first, first + n):
        yield {
            "suite": "petri",
            "task_set": "core-v0",
            "task_id": f"{at // 10:08d}",
            "agent": agent,
            "attempt": 0,
            "profile": "default",
            "metric": f"metric {at % 10}",
            "step": None,
            "value": (at % 997) / 7,
            "label": "",
        }


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "scores.parquet"
    write_table(scores(0, ROWS), path, SCORES)
    return path


@pytest.fixture(scope="module")
def gigabyte(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("big") / "big.bin"
    block = os.urandom(1 << 20)
    with path.open("wb") as file:
        for _ in range(1024):
            file.write(block)
    yield path
    path.unlink()


def test_hash_a_gigabyte(benchmark: BenchmarkFixture, gigabyte: Path) -> None:
    benchmark.pedantic(file_digest, (gigabyte,), rounds=3)
    benchmark.extra_info["GB/s"] = round(1.0737 / benchmark.stats.stats.min, 2)


def test_column_digests(benchmark: BenchmarkFixture, table: Path) -> None:
    benchmark.pedantic(table_digests, (table, "agent"), rounds=3)
    benchmark.extra_info["million values/s"] = round(
        ROWS * len(SCORES.columns) / 1e6 / benchmark.stats.stats.min, 1
    )


def test_write(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    rows = list(scores(0, ROWS))
    benchmark.pedantic(write_table, (rows, tmp_path / "out.parquet", SCORES), rounds=3)
    benchmark.extra_info["rows/s"] = round(ROWS / benchmark.stats.stats.min)


def test_read_rows(benchmark: BenchmarkFixture, table: Path) -> None:
    benchmark.pedantic(read_rows, (table, SCORES), rounds=3)
    benchmark.extra_info["rows/s"] = round(ROWS / benchmark.stats.stats.min)


def test_merge(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    parts = []
    for first in range(0, ROWS, 5_000):
        parts.append(tmp_path / f"{first}.parquet")
        write_table(scores(first, 5_000), parts[-1], SCORES)
    benchmark.pedantic(merge, (parts, tmp_path / "out.parquet", SCORES), rounds=3)
    benchmark.extra_info["rows/s"] = round(ROWS / benchmark.stats.stats.min)


def test_memory_of_a_merge_does_not_grow_with_the_table(tmp_path: Path, record: Record) -> None:
    """Eight times the rows, hardly more memory."""
    write_table(scores(0, 1), tmp_path / "0.parquet", SCORES)
    peaks = {}
    for size in (100_000, 800_000):
        parts = []
        for first in range(0, size, 50_000):
            parts.append(tmp_path / f"{size}.{first}.parquet")
            write_table(scores(first, 50_000), parts[-1], SCORES)
        peaks[size] = peak_megabytes(parts, tmp_path / "out.parquet")
        record("memory", {"work": f"merge of scores, {size:,} rows", "peak, MiB": round(peaks[size])})
    print(f"merge, peak: {peaks}")
    assert peaks[800_000] < peaks[100_000] + 60


def peak_megabytes(parts: list[Path], out: Path) -> float:
    """The kernel's high-water mark of a process of its own (`ru_maxrss` would be at least this one's)."""
    program = (
        "import pathlib, sys; from assay.tables.writer import merge;"
        "from assay.tables.schemas.scores import SCORES;"
        "merge(sys.argv[2:], sys.argv[1], SCORES);"
        "print(next(l for l in pathlib.Path('/proc/self/status').open() if l.startswith('VmHWM')).split()[1])"
    )
    words = [sys.executable, "-c", program, str(out), *map(str, parts)]
    done = subprocess.run(words, env={"PYTHONPATH": "src"}, capture_output=True, text=True, check=True)
    return float(done.stdout) / 1024


@pytest.mark.parametrize("quarters", [1, 2, 4], ids=["a quarter", "a half", "one"])
def test_verify_of_unchanged_gigabytes(
    benchmark: BenchmarkFixture, gigabyte: Path, tmp_path: Path, record: Record, quarters: int
) -> None:
    root = tmp_path
    outputs = []
    for number in range(quarters):
        outputs.append(Output(f"{number}.bin", "page", "petri", "report"))
        with gigabyte.open("rb") as file:
            file.seek(number << 28)
            (root / outputs[-1].path).write_bytes(file.read(1 << 28))
    built = build_manifest(root, outputs, ["petri"])
    write_manifest(root / BUILT, built)
    write_manifest(root / FROZEN, built)
    verdict = benchmark.pedantic(verify, (root,), rounds=3)
    assert verdict.exit_code == 0
    speed = round(1.0737 * quarters / 4 / benchmark.stats.stats.min, 2)
    benchmark.extra_info["GB/s"] = speed
    wall = round(benchmark.stats.stats.min, 2)
    record("verifying", {"results, GB": round(1.0737 * quarters / 4, 2), "wall, s": wall, "GB/s": speed})
