"""The four stages in a row: select, plan metrics, predict and evaluate, report.

Each leaves an artefact in the folder of the run. A stage whose artefact was made from the same is taken up,
so a run can be stopped after any stage and gone on with; one reply that was paid for is not asked for again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

from assay import canonical
from assay.config.models import Config
from assay.episodes.artefacts import materials_for
from assay.protocol import NEVER_SCORED, Materials
from assay.suites.sgi.embeddings.embedder import HASHED, NamedEmbedder
from assay.suites.sgi.lab.evaluation import report_page, standin, tables
from assay.suites.sgi.lab.evaluation.artefact import Artefact, staged
from assay.suites.sgi.lab.evaluation.builtin_metrics import builtin_metrics
from assay.suites.sgi.lab.evaluation.computation import rows, trials
from assay.suites.sgi.lab.evaluation.metric import MetricSpec
from assay.suites.sgi.lab.evaluation.metric_plan import MetricPlan, by_aims, examined, plan
from assay.suites.sgi.lab.evaluation.pool import Pool
from assay.suites.sgi.lab.evaluation.prediction import Answerer, Desk, prediction
from assay.suites.sgi.lab.evaluation.query import Intent, Query, understand
from assay.suites.sgi.lab.evaluation.report import report
from assay.suites.sgi.lab.evaluation.selection import select
from assay.suites.sgi.lab.evaluation.standin import StandIn
from assay.writing import write_whole

StageName = Literal["select", "metrics", "evaluate", "report"]
STAGES: tuple[StageName, ...] = get_args(StageName)

FILES: Mapping[StageName, str] = {
    "select": "1-selection",
    "metrics": "2-metrics",
    "evaluate": "3-evaluation",
    "report": "4-report",
}


@dataclass
class Evaluation:
    """One run: who is asked what, measured how, and where the artefacts go."""

    config: Config
    folder: Path
    query: Query
    pool: Pool
    answerer: Answerer
    custom: Sequence[MetricSpec] = ()
    embedder: NamedEmbedder = HASHED
    helpers: Mapping[str, StandIn] = field(default_factory=dict)
    taken_up: list[str] = field(default_factory=list, init=False)
    unanswered: int = field(default=0, init=False)

    def run(self, until: StageName = "report") -> dict[StageName, Any]:
        """The results of the stages up to and with `until`."""
        found: dict[StageName, Artefact] = {}
        for stage in STAGES[: STAGES.index(until) + 1]:
            decisive, make = getattr(self, f"_{stage}")(found)
            made = staged(self.folder, FILES[stage], decisive, make, lambda: not self.unanswered)
            if made.taken_up:
                self.taken_up.append(stage)
            found[stage] = made
            self._say_more(stage, found)
        return {stage: artefact.content for stage, artefact in found.items()}

    def _asked(self, stage: str) -> Any:
        return self.helpers[stage].facts() if stage in self.helpers else None

    def _outcome(self, stage: str) -> dict[str, Any] | None:
        """Who stood in for a stage, and what came of it."""
        helper = self.helpers.get(stage)
        return None if helper is None else {"model": helper.name, "outcomes": list(helper.outcomes)}

    # ------------------------------------------------------------ the stages: what decides them, and how

    def _select(self, found: Mapping[StageName, Artefact]) -> tuple[Any, Any]:
        names = canonical.digest([task.digest for task in self.pool.tasks])
        decisive = [asdict(self.query), names, self._asked("select")]

        def make() -> Any:
            helper = self.helpers.get("select")
            interpret = understand if helper is None else partial(standin.interpreted, helper)
            subset = select(self.query, self.pool.tasks, interpret)
            return {**subset.to_json(), "query": asdict(self.query), "stand_in": self._outcome("select")}

        return decisive, make

    def _metrics(self, found: Mapping[StageName, Artefact]) -> tuple[Any, Any]:
        selection = found["select"]
        own = [spec.to_json() for spec in self.custom]
        decisive = [selection.sha256, own, self._asked("metrics")]

        def make() -> Any:
            made = self._plan(selection.content)
            return {**made.to_json(), "stand_in": self._outcome("metrics")}

        return decisive, make

    def _plan(self, selection: Mapping[str, Any]) -> MetricPlan:
        intent = Intent.of(selection["intent"])
        tasks = [self.pool.find(name) for name in selection["items"]]
        families = sorted({task.strata["family"] for task in tasks})
        helper = self.helpers.get("metrics")
        choose = by_aims if helper is None else partial(standin.chosen_metrics, helper)
        made = plan(intent, families, self.custom, choose)
        code = [spec for spec in made.custom if spec.kind == "code"]
        known = trials(tasks, self.embedder) if code else []
        tests = tuple(
            examined(spec, [trial for trial in known if trial[1]["family"] in spec.families]) for spec in code
        )
        return MetricPlan(made.builtin, made.custom, tests)

    def _evaluate(self, found: Mapping[StageName, Artefact]) -> tuple[Any, Any]:
        desk = Desk(self.config, self.answerer)
        decisive = [
            found["select"].sha256,
            found["metrics"].sha256,
            desk.facts(),
            self.embedder.name,
            self._asked("judge"),
        ]
        return decisive, lambda: self._evaluated(found, desk)

    def _evaluated(self, found: Mapping[StageName, Artefact], desk: Desk) -> Any:
        planned = _planned(found["metrics"].content, self.custom)
        judge = self.helpers.get("judge")
        materials = materials_for(desk.suite, self.pool.blobs)
        predictions, values = [], []
        for name in found["select"].content["items"]:
            said, own = self._one(name, desk, planned, materials, judge)
            predictions.append(said)
            values += own
        return {
            "predictions": predictions,
            "rows": tables.ordered(values),
            "embedder": self.embedder.name,
            "stand_in": self._outcome("judge"),
        }

    def _one(
        self, name: str, desk: Desk, planned: MetricPlan, materials: Materials, judge: StandIn | None
    ) -> tuple[Any, Any]:
        """One item, answered and measured; kept at once, unless the connection to its model failed."""
        task = self.pool.find(name)
        decisive = [
            task.digest,
            desk.facts(),
            planned.to_json(),
            self.embedder.name,
            self._asked("judge"),
        ]
        failed: dict[str, Any] = {}

        def make() -> Any:
            answered = desk.answer(task, materials)
            ask = None if judge is None else judge.ask
            value = {
                "prediction": {
                    "task_set": task.task_set,
                    "task_id": task.task_id,
                    **{key: task.strata[key] for key in ("discipline", "type", "level")},
                    **prediction(task, answered),
                },
                "rows": rows(task, answered, planned, materials, self.embedder, ask),
            }
            write_whole(
                self.folder / "provenance" / f"{task.task_set}.{task.task_id}.json",
                canonical.dumps({"milliseconds": [round(1000 * s, 3) for s in answered.seconds]}) + "\n",
            )
            if answered.episode.status in NEVER_SCORED:
                failed["value"] = value
                raise _NotKept
            return value

        try:
            content = staged(self.folder / "items", f"{task.task_set}.{task.task_id}", decisive, make).content
        except _NotKept:
            content = failed["value"]
            self.unanswered += 1
        return content["prediction"], content["rows"]

    def _report(self, found: Mapping[StageName, Artefact]) -> tuple[Any, Any]:
        evaluation = found["evaluate"]
        price = self._price()
        settings = {
            "query": self.query.text,
            "seed": self.query.seed,
            "items from": "frozen sets" if self.pool.seed is None else f"new items of seed {self.pool.seed}",
            "answered by": self.answerer.name,
            "embedder": self.embedder.name,
            **{f"{stage} by": helper.name for stage, helper in self.helpers.items()},
        }
        decisive = [settings, evaluation.sha256, price, self._asked("summary")]

        def make() -> Any:
            contents = [found[stage].content for stage in ("select", "metrics", "evaluate")]
            made = report(settings, contents[0], contents[1], contents[2], price)
            made["stand_ins"] = {
                stage: found[stage].content.get("stand_in")
                for stage in ("select", "metrics", "evaluate")
                if found[stage].content.get("stand_in")
            }
            helper = self.helpers.get("summary")
            text = "" if helper is None else standin.summary(helper, made)
            made["summary"] = None if helper is None else {**(self._outcome("summary") or {}), "text": text}
            return made

        return decisive, make

    def _price(self) -> dict[str, float]:
        entry = self.config.agents.get(self.answerer.name)
        price = getattr(entry, "price", None)
        return {"tokens_in": 0.0, "tokens_out": 0.0} if price is None else dict(price.model_dump())

    def _say_more(self, stage: StageName, found: Mapping[StageName, Artefact]) -> None:
        """Tables after the third stage, pages after the last; made anew each time, they cost nothing."""
        if stage != "report":
            return
        values, made = found["evaluate"].content["rows"], found["report"].content
        tables.write(self.folder, values, made["metrics"])
        title = f"Evaluation of {self.answerer.name}"
        parts = report_page.sections(made, made["summary"])
        write_whole(self.folder / "report.md", report_page.markdown(title, parts))
        write_whole(self.folder / "report.html", report_page.page(title, parts, values))


class _NotKept(Exception):
    """A prediction that says nothing about an agent: it is asked for again in the next run."""


def _planned(content: Mapping[str, Any], custom: Sequence[MetricSpec]) -> MetricPlan:
    """The plan of an artefact, with the functions of the user's metrics."""
    own = {spec.id: spec for spec in custom}
    known = builtin_metrics()
    return MetricPlan(
        tuple(known[spec["id"]] for spec in content["builtin"]),
        tuple(own[spec["id"]] for spec in content["custom"]),
    )
