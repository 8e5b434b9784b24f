"""What an exact rerun costs: fingerprints, the content store, a restored job."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.small_checkout import ASSAY, SmallCheckout

from assay.build import fingerprint
from assay.build.store import Store

MODULES = 100
LINES = 40_000
ROOTS = ("assay.generated.m0",)
MEGABYTES = 100

PROGRAM = """\
from assay.build.job import run
def work(job):
    job.output("scores").write_text("done")
run(work, None)
"""


def top_level(path: Path) -> list[str]:
    """The statements of a module but for its imports, with the comments and blank lines before them."""
    lines, parts, end = path.read_text().splitlines(), [], 0
    for statement in ast.parse("\n".join(lines)).body:
        if not isinstance(statement, ast.Import | ast.ImportFrom):
            parts.append("\n".join(lines[end : statement.end_lineno]))
        end = statement.end_lineno or end
    return parts


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with a chain of modules, each a mixture of Assay's own code."""
    checkout = SmallCheckout(tmp_path_factory.mktemp("source"))
    statements = [part for path in sorted(ASSAY.glob("*.py")) for part in top_level(path)]
    files = {"src/assay/__init__.py": "", "src/assay/generated/__init__.py": ""}
    at = 0
    for module in range(MODULES):
        lines = [f"from assay.generated import m{module + 1}"]
        while len(lines) < LINES // MODULES:
            lines += statements[at % len(statements)].splitlines()
            at += 1
        lines[-1:] += [f"NAME = {module}"]  # no two texts are equal
        files[f"src/assay/generated/m{module}.py"] = "\n".join(lines) + "\n"
    checkout.write(files)
    return checkout.root


def test_fingerprint_cold(benchmark: Any, source: Path) -> None:
    def nothing_known() -> None:
        (source / fingerprint.CACHE).unlink(missing_ok=True)
        fingerprint.forget()

    benchmark.pedantic(fingerprint.fingerprint, (ROOTS, source), setup=nothing_known, rounds=5)


def test_fingerprint_warm(benchmark: Any, source: Path) -> None:
    """In a new process, with what earlier ones found out."""
    fingerprint.fingerprint(ROOTS, source)
    benchmark.pedantic(fingerprint.fingerprint, (ROOTS, source), setup=fingerprint.forget, rounds=20)


def test_fingerprint_again(benchmark: Any, source: Path) -> None:
    """In the same process, once for each of thousands of jobs."""
    benchmark(fingerprint.fingerprint, ROOTS, source)


def test_import_pinned(benchmark: Any, tmp_path: Path) -> None:
    """The largest module of Assay, compiled from its source as every computed job does."""
    largest = max(ASSAY.rglob("*.py"), key=lambda path: path.stat().st_size)
    text = largest.read_bytes()
    benchmark.extra_info["lines"] = text.count(b"\n")
    benchmark(compile, text, str(largest), "exec")


@pytest.fixture
def large(tmp_path: Path) -> Path:
    path = tmp_path / "large"
    path.write_bytes(bytes(range(256)) * (MEGABYTES << 12))
    return path


@pytest.mark.parametrize("what", ["keep", "restore", "digest"])
def test_store_100_megabytes(benchmark: Any, large: Path, tmp_path: Path, what: str) -> None:
    store, key, target = Store(tmp_path / "store"), "0" * 64, tmp_path / "target"
    store.keep(key, {"output": large})
    does: dict[str, Callable[[], object]] = {
        "keep": lambda: store.keep(key, {"output": large}),
        "restore": lambda: store.restore(key, {"output": target}),
        "digest": lambda: store.digest(large),
    }

    def absent() -> None:
        target.unlink(missing_ok=True)
        for note in (store.folder / "digests").rglob("*/*"):
            note.unlink()

    benchmark.pedantic(does[what], setup=absent, rounds=5)
    assert what != "restore" or target.stat().st_size == large.stat().st_size


def test_restored_job(benchmark: Any, tmp_path: Path) -> None:
    """The whole process, start of Python included."""
    checkout = SmallCheckout(tmp_path)
    checkout.add_wrapper()
    checkout.write({"program.py": PROGRAM})
    command = ("program.py", "--roots", "program.py", "--out", "scores", "results/scores")
    environment = {"PYTHONDONTWRITEBYTECODE": ""}
    assert checkout.python(*command, **environment).returncode == 0
    (checkout.root / "results/scores").unlink()
    benchmark.pedantic(checkout.python, command, environment, rounds=20)
    assert (checkout.root / "results/scores").read_text() == "done"
    assert '"how":"restored"' in (checkout.root / "results/provenance/results/scores.json").read_text()


def test_python_alone(benchmark: Any, tmp_path: Path) -> None:
    """What of a restored job is the start of Python."""
    benchmark.pedantic(SmallCheckout(tmp_path).python, ("-c", "pass"), rounds=20)
