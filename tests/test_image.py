"""The image, built by buildah upon a base made here, and the wheel where there is Python alone.

Needs root, buildah, debootstrap and a network; docs/container.md.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "packaging"))
image = __import__("image")

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(bool(image.missing()), reason=f"not here: {', '.join(image.missing())}"),
]

BUILD = "import sys; sys.path.insert(0, 'packaging'); import backend; print(backend.build_wheel(sys.argv[1]))"
REQUEST = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}


@pytest.fixture(scope="module")
def engine() -> Iterator[object]:
    """An engine with a base image, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="assay-image-") as folder:
        made = image.Engine(Path(folder))
        made.base = image.make_base(made, Path(folder), "bookworm")
        yield made


def test_two_images_are_equal_and_work_without_a_network(engine, tmp_path: Path) -> None:
    first, second = image.build_twice(engine, engine.base, tmp_path)
    assert first == second
    container = engine.run("from", "localhost/assay-second")

    def run(*words: str) -> str:
        return engine.run("run", container, "--", *words, network=False)

    run("make", "setup")  # everything is there
    assert "played by controlled" in run("assay", "play", "petri", "core-v1/0")
    run("workflow/run", "--configfile", "config/test/small.yaml", "--cores", "1", "--", "all")


def test_the_wheel_works_where_there_is_python_alone(engine, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", BUILD, str(tmp_path)], cwd=ROOT, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    (tmp_path / "scores.csv").write_text("agent,task,score\na,1,1\na,2,0\nb,1,0\nb,2,0\n")
    (tmp_path / "request.json").write_text(json.dumps(REQUEST) + "\n")
    container = engine.run("from", engine.base)
    engine.run("copy", container, str(tmp_path), "/given")
    engine.run("config", "--workingdir", "/given", container)
    engine.run("run", container, "--", "python3", "-m", "venv", "/venv")
    engine.run("run", container, "--", "/venv/bin/pip", "install", "--quiet", f"/given/{wheel.name}[models]")

    def run(words: str) -> str:
        return engine.run("run", container, "--", "sh", "-c", f"PATH=/venv/bin:$PATH; {words}", network=False)

    assert "played by controlled" in run("assay play petri core-v1/0")
    assert "difference" in run("assay compare a b --table scores.csv")
    (answer,) = run("assay mcp petri core-v1/0 <request.json").splitlines()
    assert json.loads(answer)["result"]["serverInfo"]["name"] == "assay"
