"""Task sets as tasks of Harbor: a folder for each task, with instruction, environment, solution and verifier.

The world of a task runs in a container of its own beside that of the agent, which reaches it with `lab.py`.
The solution makes the calls that the set's reference solver made. The verifier, whose token the agent does
not see, ends the episode and writes its score as the reward.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from assay import __version__
from assay.agents.solver import SolverAgent
from assay.config.models import Config, SuiteConfig
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.errors import ConfigError
from assay.sessions.programs.catalogue import reference, size
from assay.sessions.taskfiles import find_task
from assay.writing import write_whole

FILES = Path(__file__).parent / "harbor_files"

IMAGE = "python:3.13-slim"

INSTRUCTION = """\
You work in a laboratory, which you reach by the program `lab.py`.

* `python3 /lab/lab.py brief` shows the task, the tools and their arguments.
* `python3 /lab/lab.py call TOOL '{"argument": "value"}'` calls a tool and shows its result.

Read the brief first, then solve the task with the tools. Your answer is what you submit with the tool that
the brief names for it.
"""

MAIN = f"""\
FROM {IMAGE}
COPY lab.py /lab/lab.py
WORKDIR /app
"""

WORLD = """\
FROM {image}
RUN pip install --no-cache-dir assay-science=={version}
WORKDIR /world
CMD ["python", "-m", "assay.doors.formats.harbor_world", "{suite}", "{task}", "--host", "0.0.0.0"]
"""

COMPOSE = """\
services:
  main:
    depends_on: [world]
    environment:
      ASSAY_LAB: http://world:8000
  world:
    build: ./world
    environment:
      ASSAY_TOKEN: {token}
"""

TOML = """\
schema_version = "1.1"

[task]
name = "assay/{name}"
description = "{suite}: task {task} of the benchmark Assay"
keywords = ["science", "{suite}"]

[metadata]
suite = "{suite}"
task_set = "{task_set}"
task_id = "{task_id}"

[verifier]
timeout_sec = 600.0

[agent]
timeout_sec = 3600.0
"""

SOLVE = """\
#!/bin/sh
set -e
python3 "${LAB_PROGRAM:-/lab/lab.py}" replay "$(dirname "$0")/calls.json"
"""

TEST = """\
#!/bin/sh
set -e
logs=${VERIFIER_LOGS:-/logs/verifier}
mkdir -p "$logs"
python3 "${LAB_PROGRAM:-/lab/lab.py}" score "$(dirname "$0")/token" >"$logs/reward.txt"
"""


def write_set(config: Config, entry: SuiteConfig, task_set: str, out: Path, tasks: int | None = None) -> None:
    """Write the tasks of a set as tasks of Harbor, each with the calls of the reference solver.

    Args:
        config: The configuration, which knows the reference solvers.
        entry: The suite.
        task_set: The set.
        out: The folder to write to.
        tasks: Only so many tasks, from the first.

    Raises:
        ConfigError: If the folder is not empty.
        UnknownName: If no solver is a reference in this set.
    """
    if out.exists() and any(out.iterdir()):
        raise ConfigError(f"{out} is not empty", "name another folder")
    agent = reference(config, entry.suite.name, task_set)
    solver = getattr(config.agents[agent], "solver", None) or agent
    for index in range(size(entry, task_set))[:tasks]:
        _write_task(entry, f"{task_set}/{index}", solver, out)


def _write_task(entry: SuiteConfig, name: str, solver: str, out: Path) -> None:
    suite, blobs = entry.suite, MemoryBlobs()
    task = find_task(entry, name, blobs)
    episode = play(
        suite, task, solver, SolverAgent(suite.solver(solver), task, blobs), 0, materials_for(suite, blobs)
    )
    calls: list[dict[str, Any]] = [
        {"tool": event.tool, "arguments": event.arguments} for event in episode.events if event.kind == "call"
    ]
    # It depends on the hidden half of the task, so nobody can compute it from the task that is shown.
    token = hashlib.sha256(f"harbor {task.digest}".encode()).hexdigest()
    label = f"{suite.name}-{name.replace('/', '-')}"
    files = {
        "instruction.md": INSTRUCTION,
        "task.toml": TOML.format(
            name=label, suite=suite.name, task=name, task_set=task.task_set, task_id=task.task_id
        ),
        "environment/Dockerfile": MAIN,
        "environment/lab.py": (FILES / "lab.py").read_text("utf-8"),
        "environment/docker-compose.yaml": COMPOSE.format(token=token),
        "environment/world/Dockerfile": WORLD.format(
            image=IMAGE, version=__version__, suite=suite.name, task=name
        ),
        "solution/solve.sh": SOLVE,
        "solution/calls.json": json.dumps(calls, indent=1, ensure_ascii=False) + "\n",
        "tests/test.sh": TEST,
        "tests/token": token + "\n",
    }
    for path, text in files.items():
        write_whole(out / label / path, text)
    for script in ("solution/solve.sh", "tests/test.sh"):
        (out / label / script).chmod(0o755)
