"""The four stages in a row: select, choose metrics, answer and measure, report.

Each leaves a JSON file in the folder of the run. A stage whose file was made from the same is taken up, so a
run can be stopped after any stage and continued; a reply that was paid for is not asked for again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from assay import canonical
from assay.config.models import SuiteConfig
from assay.episode import Episode
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.errors import TableError
from assay.protocol import NEVER_SCORED, Materials
from assay.sessions.taskfiles import find_task
from assay.suites.sgi import scoring
from assay.suites.sgi.embeddings.embedder import HASHED, NamedEmbedder
from assay.suites.sgi.items import item_of
from assay.suites.sgi.lab.evaluation import report
from assay.suites.sgi.lab.evaluation.answering import Answerer, idx_of, prediction
from assay.suites.sgi.lab.evaluation.metric import (
    Context,
    Trial,
    chosen,
    custom_metrics,
    examined,
    value_of,
)
from assay.suites.sgi.lab.evaluation.query import Query, open_tasks, select, understand
from assay.suites.sgi.lab.evaluation.reader import ModelReader
from assay.suites.sgi.solvers import solution
from assay.task import Task
from assay.writing import write_whole

VERSION = 2
"""Raise it when the form or the meaning of a stage's file changes: stages are then done again."""

STAGES = ("select", "metrics", "evaluate", "report")


@dataclass
class Evaluation:
    """One run.

    Attributes:
        folder: Where the files of the stages go.
        query: What is asked.
        config: The suite's configuration.
        sets: The sets to choose from; empty for the largest set of each family.
        answerer: Who answers.
        files: Files with metrics of the user.
        embedder: The embedder of ideas.
        reader: A model that reads the query; `None` for the stated vocabulary.
        price: The price of a million tokens, `tokens_in` and `tokens_out`.
        taken_up: The stages whose files were there already.
        unanswered: Items without an answer, because the connection to the model failed.
    """

    folder: Path
    query: Query
    config: SuiteConfig
    sets: Sequence[str]
    answerer: Answerer
    files: Sequence[Path] = ()
    embedder: NamedEmbedder = HASHED
    reader: ModelReader | None = None
    price: Mapping[str, float] = field(default_factory=dict)
    taken_up: list[str] = field(default_factory=list, init=False)
    unanswered: int = field(default=0, init=False)

    def run(self, until: str = "report") -> dict[str, Any]:
        """The results of the stages up to and with `until`.

        Raises:
            ConfigError: If a metric of the user fails its test.
            TableError: If a file in the folder is none of a stage.
            UnknownName: If the query names no items.
        """
        self._custom = custom_metrics(self.files)
        self._blobs = MemoryBlobs()
        found: dict[str, Any] = {}
        for number, stage in enumerate(STAGES[: STAGES.index(until) + 1], 1):
            decisive, make = getattr(self, f"_{stage}")(found)
            path = self.folder / f"{number}-{stage}.json"
            found[stage], taken_up = self._staged(path, [decisive, found], make)
            if taken_up:
                self.taken_up.append(stage)
        if "report" in found:
            text = report.page_of(found["report"], found["evaluate"]["rows"])
            write_whole(self.folder / "report.html", text)
        return found

    def _staged(self, path: Path, decisive: Any, make: Callable[[], Any]) -> tuple[Any, bool]:
        """The content of a file that was made from the same, else made now.

        It is made again in the next run if an item had no answer.
        """
        key = canonical.digest([VERSION, path.stem, decisive])
        if path.is_file():
            try:
                value = json.loads(path.read_text(encoding="utf-8"))
                if value["made_from"] == key:
                    return value["content"], True
            except (OSError, ValueError, KeyError, TypeError) as problem:
                raise TableError(f"{path} is no file of a stage ({problem!r})", "remove it") from problem
        before = self.unanswered
        content = json.loads(canonical.dumps(make()))
        kept = {"made_from": key if self.unanswered == before else "", "content": content}
        write_whole(path, json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
        return content, False

    # The stages. Each gives what decides it besides the stages before, and how it is made.

    def _select(self, found: Mapping[str, Any]) -> tuple[Any, Callable[[], Any]]:
        tasks = open_tasks(self.config, self.sets)
        decisive = [asdict(self.query), [task.digest for task in tasks], self.reader and self.reader.facts()]
        return decisive, lambda: select(self.query, tasks, self.reader or understand)

    def _metrics(self, found: Mapping[str, Any]) -> tuple[Any, Callable[[], Any]]:
        selection = found["select"]

        def make() -> Any:
            tasks = [find_task(self.config, name, self._blobs) for name in selection["items"]]
            families = {task.strata["family"] for task in tasks}
            intent = selection["intent"]
            specs = chosen(intent["aims"], intent["metrics"], families, self._custom)
            tests = [
                examined(spec, [self._trial(t) for t in tasks if t.strata["family"] in spec.families])
                for spec in specs
                if spec.evaluate
            ]
            return {"metrics": [spec.to_json() for spec in specs], "tests": tests}

        return [spec.to_json() for spec in self._custom], make

    def _trial(self, task: Task) -> Trial:
        """Known replies to an item, to test a user's metric on: the right one and an empty one."""
        item = item_of(task)
        empty = {
            "idx": item["idx"],
            "family": task.strata["family"],
            "model": "test",
            "sample": 0,
            "raw": "",
            "status": "done",
            "error": "",
            "privileged": True,
            "usage": {"in": None, "out": None, "calls": 1},
            "tools": [],
        }
        right = {**empty, "raw": solution(task.public["family"], item)}
        contexts = [Context({"score": v, "solved": v / 100}, self.embedder) for v in (100.0, 0.0)]
        return item, right, empty, contexts[0], contexts[1]

    def _evaluate(self, found: Mapping[str, Any]) -> tuple[Any, Callable[[], Any]]:
        decisive = [self.answerer.facts(), self.embedder.name]

        def make() -> Any:
            materials = materials_for(self.answerer.suite, self._blobs)
            metrics, predictions, rows = found["metrics"]["metrics"], [], []
            for name in found["select"]["items"]:
                task = find_task(self.config, name, self._blobs)
                path = self.folder / "items" / f"{task.task_set}.{task.task_id}.json"
                asked = [task.digest, decisive, metrics]
                make_item = partial(self._measured, task, metrics, materials)
                item, _ = self._staged(path, asked, make_item)
                predictions.append(item["prediction"])
                rows += item["rows"]
            return {
                "predictions": predictions,
                "rows": sorted(rows, key=lambda row: (row["task_set"], row["task_id"], row["metric"])),
            }

        return decisive, make

    def _measured(self, task: Task, metrics: Sequence[Mapping[str, Any]], materials: Materials) -> Any:
        """Let the agent answer an item and measure the reply; a metric that fails is null, with its error."""
        episode = self.answerer.answer(task, materials)
        self.unanswered += episode.status in NEVER_SCORED
        strata = {key: task.strata[key] for key in ("family", "discipline", "type", "level")}
        place = {"task_set": task.task_set, "task_id": task.task_id}
        said, item = prediction(task, episode), item_of(task)
        values, problem = self._suite_values(task, episode, materials)
        context = Context({name: value for name, (value, _) in values.items()}, self.embedder)
        own = {spec.id: spec for spec in self._custom}
        rows = []
        for spec in metrics:
            if strata["family"] not in spec["families"]:
                continue
            (value, why), error = values.get(spec["id"], (None, "")), problem
            if spec["id"] in own and episode.status not in NEVER_SCORED:
                result, error = value_of(own[spec["id"]], item, said, context)
                value, why = result.value, result.rationale
            row = {"metric": spec["id"], "kind": spec["kind"], "value": value, "rationale": why}
            rows.append(
                {**place, **strata, "agent": episode.agent, **row, "status": episode.status, "error": error}
            )
        return {"prediction": {**place, **strata, **said, "idx": idx_of(task)}, "rows": rows}

    def _suite_values(
        self, task: Task, episode: Episode, materials: Materials
    ) -> tuple[dict[str, tuple[float | None, str]], str]:
        """The suite's metrics of an episode with their labels, and why there are none."""
        if episode.status in NEVER_SCORED:
            return {}, f"{episode.status}: {episode.reason}"
        try:
            scores = scoring.score(task, episode, materials, self.embedder)
        except Exception as problem:
            return {}, f"{type(problem).__name__}: {problem}"
        kept = [score for score in scores if score.step is None and score.profile == "default"]
        return {score.metric: (score.value, score.label) for score in kept}, ""

    def _report(self, found: Mapping[str, Any]) -> tuple[Any, Callable[[], Any]]:
        settings = {
            "query": self.query.text,
            "seed": self.query.seed,
            "answered by": self.answerer.name,
            "embedder": self.embedder.name,
        }
        return [settings, self.price], lambda: report.made(settings, found, self.price)
