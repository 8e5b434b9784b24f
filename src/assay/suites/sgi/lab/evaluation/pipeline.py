"""The four stages in a row: select, choose metrics, answer and measure, report.

Each leaves a JSON file in the folder of the run. Answers are kept there, too: a later run that asks the same
of the same agent takes them up.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay import canonical
from assay.config.models import SuiteConfig
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.errors import TableError
from assay.protocol import NEVER_SCORED, Materials
from assay.sessions.taskfiles import find_task
from assay.suites.sgi import scoring
from assay.suites.sgi.embeddings.embedder import NamedEmbedder
from assay.suites.sgi.items import item_of
from assay.suites.sgi.lab.evaluation import report
from assay.suites.sgi.lab.evaluation.answering import Answerer
from assay.suites.sgi.lab.evaluation.metric import Context, MetricSpec, Trial, chosen, examined, value_of
from assay.suites.sgi.lab.evaluation.query import STRATA
from assay.suites.sgi.solvers import solution
from assay.task import Task
from assay.writing import write_whole

VERSION = 3
"""Raise it when the meaning of a kept answer changes: it is then asked for again."""


@dataclass
class Evaluation:
    """One run.

    Attributes:
        folder: Where the files go.
        config: The suite's configuration.
        selection: What `query.select` gave.
        answerer: Who answers.
        custom: The metrics of the user.
        embedder: The embedder of ideas.
        settings: What was asked of whom, for the report.
        taken_up: How many answers were there already.
        unanswered: Items without an answer, because the connection to the model failed.
    """

    folder: Path
    config: SuiteConfig
    selection: Mapping[str, Any]
    answerer: Answerer
    custom: Sequence[MetricSpec]
    embedder: NamedEmbedder
    settings: Mapping[str, Any]
    taken_up: int = field(default=0, init=False)
    unanswered: int = field(default=0, init=False)

    def run(self, until: str = "report") -> dict[str, Any]:
        """The results of the stages up to and with `until`.

        Raises:
            ConfigError: If a metric of the user fails its test.
            TableError: If the file of a kept answer cannot be read.
        """
        blobs = MemoryBlobs()
        tasks = [find_task(self.config, name, blobs) for name in sorted(self.selection["items"])]
        materials = materials_for(self.answerer.suite, blobs)
        found: dict[str, Any] = {}
        stages: Mapping[str, Callable[[], Any]] = {
            "select": lambda: self.selection,
            "metrics": lambda: self._metrics(tasks),
            "evaluate": lambda: self._answers(tasks, materials, found["metrics"]["metrics"]),
            "report": lambda: report.made(self.settings, found, self._cost(found)),
        }
        for number, (stage, make) in enumerate(stages.items(), 1):
            found[stage] = json.loads(canonical.dumps(make()))
            _write(self.folder / f"{number}-{stage}.json", found[stage])
            if stage == until:
                break
        if "report" in found:
            text = report.page_of(found["report"], found["evaluate"]["rows"])
            write_whole(self.folder / "report.html", text)
        return found

    def _metrics(self, tasks: Sequence[Task]) -> Any:
        intent, families = self.selection["intent"], {task.strata["family"] for task in tasks}
        specs = chosen(intent["aims"], intent["metrics"], families, self.custom)
        tests = [
            examined(spec, [_trial(t) for t in tasks if t.strata["family"] in spec.families], self.embedder)
            for spec in specs
            if spec.evaluate
        ]
        return {"metrics": [spec.to_json() for spec in specs], "tests": tests}

    def _answers(self, tasks: Sequence[Task], materials: Materials, metrics: Any) -> Any:
        predictions, rows = {}, []
        for task in tasks:
            said = self._answer(task, materials)
            self.unanswered += said["status"] in NEVER_SCORED
            predictions[f"{task.task_set}/{task.task_id}"] = said
            rows += self._measured(task, said, metrics)
        return {"predictions": predictions, "rows": rows}

    def _answer(self, task: Task, materials: Materials) -> Any:
        """The answer to an item: the kept one, or else a new one, kept unless its connection was lost."""
        path = self.folder / "items" / f"{task.task_set}.{task.task_id}.json"
        key = canonical.digest([VERSION, task.digest, self.answerer.facts()])
        if path.is_file():
            try:
                kept = canonical.loads(path.read_bytes())
                if kept["made_from"] == key:
                    self.taken_up += 1
                    return kept["content"]
            except (OSError, ValueError, KeyError, TypeError) as problem:
                raise TableError(f"{path} cannot be read ({problem!r})", "remove it") from problem
        said = self.answerer.answer(task, materials)
        if said["status"] not in NEVER_SCORED:
            _write(path, {"made_from": key, "content": said})
        return said

    def _measured(
        self, task: Task, said: Mapping[str, Any], metrics: Iterable[Mapping[str, Any]]
    ) -> list[dict[str, Any]]:
        """The metrics of an answer; one that fails is null, with its error."""
        values: dict[str, tuple[float | None, str]] = {}
        problem = f"{said['status']}: {said['error']}" if said["status"] in NEVER_SCORED else ""
        if not problem:
            try:
                scores = scoring.of_reply(task, said["raw"], "objective", self.embedder)
                values = {score.metric: (score.value, score.label) for score in scores}
            except Exception as failure:
                problem = f"{type(failure).__name__}: {failure}"
        context = Context({name: value for name, (value, _) in values.items()}, self.embedder)
        own = {spec.id: spec for spec in self.custom}
        place = {"task_set": task.task_set, "task_id": task.task_id, **{s: task.strata[s] for s in STRATA}}
        rows = []
        for spec in metrics:
            if place["family"] not in spec["families"]:
                continue
            (value, why), error = values.get(spec["id"], (None, "")), problem
            if spec["id"] in own and said["status"] not in NEVER_SCORED:
                result, error = value_of(own[spec["id"]], item_of(task), said, context)
                value, why = result.value, result.rationale
            row = {"metric": spec["id"], "kind": spec["kind"], "value": value, "rationale": why}
            rows.append({**place, "agent": said["model"], **row, "status": said["status"], "error": error})
        return rows

    def _cost(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """Calls, tokens and money of all answers; tokens are null where nobody counted."""
        usage = [said["usage"] for said in found["evaluate"]["predictions"].values()]
        calls, counted = sum(used["calls"] for used in usage), [u for u in usage if u["in"] is not None]
        if not counted:
            return {"calls": calls, "tokens_in": None, "tokens_out": None, "money": None}
        tokens = [sum(used[key] or 0 for used in counted) for key in ("in", "out")]
        money = self.answerer.money(*tokens)
        return {"calls": calls, "tokens_in": tokens[0], "tokens_out": tokens[1], "money": money}


def _write(path: Path, value: Any) -> None:
    write_whole(path, json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


def _trial(task: Task) -> Trial:
    """Return two replies on which a user's metric is tested: the right one and an empty one."""
    item = item_of(task)
    empty = {
        "idx": item["idx"],
        "family": task.strata["family"],
        "model": "test",
        "raw": "",
        "status": "done",
        "error": "",
        "privileged": True,
        "usage": {"in": None, "out": None, "calls": 1},
        "tools": [],
    }
    return item, {**empty, "raw": solution(task.public["family"], item)}, empty
