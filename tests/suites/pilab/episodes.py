"""Episodes at the harness, for the tests of this suite."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from assay.episode import Episode
from assay.episodes import harness
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Result
from assay.suite import suite
from assay.suites.pilab.tasks import SETS, generate
from assay.task import Task

SUITE = suite("pilab")


def task(seed: int = 101, *, memory: bool = True, task_set: str = "") -> Task:
    name = task_set or ("reference-v0" if memory else "no-memory-v0")
    found = generate(SETS[name], name, 0, 101, MemoryBlobs())
    if "mode" in SETS[name].params:
        return found
    return replace(found, seed=seed, hidden={"lab_seed": seed})


@dataclass
class Scripted:
    """An agent that is one function of the brief and the harness's call."""

    plays: Callable[[Brief, Call], None]
    results: list[Result] = field(default_factory=list)

    def act(self, brief: Brief, call: Call, stream: Stream) -> None:
        def noted(tool: str, arguments: Any) -> Result:
            result = call(tool, arguments)
            self.results.append(result)
            return result

        self.plays(brief, noted)


def play(
    plays: Callable[[Brief, Call], None],
    seed: int = 101,
    *,
    memory: bool = True,
    task_set: str = "",
    **more: Any,
) -> tuple[Episode, list[Result]]:
    """The episode of such an agent, and the results it saw."""
    agent, blobs = Scripted(plays), MemoryBlobs()
    materials = materials_for(SUITE, blobs)
    return harness.play(
        SUITE, task(seed, memory=memory, task_set=task_set), "scripted", agent, 0, materials, **more
    ), agent.results


def act(call: Call, tool: str, **arguments: Any) -> Any:
    """A single call; what it shows."""
    result = call("act", {"tool": tool, "arguments": arguments})
    return result.parts[0] if result.parts else result


def code(call: Call, text: str) -> Result:
    """A turn with a block of code."""
    return call("run_code", {"code": f"```python\n{text}\n```"})
