"""The evaluation agent: selection, metrics of one's own, a model that reads the query, the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.cli.main import main
from assay.config.loading import load
from assay.errors import ConfigError, TableError, UnknownName
from assay.suites.sgi.embeddings.embedder import HASHED
from assay.suites.sgi.families import FAMILIES
from assay.suites.sgi.lab.evaluation import metric as metrics
from assay.suites.sgi.lab.evaluation.answering import read_replies
from assay.suites.sgi.lab.evaluation.metric import (
    Context,
    MetricResult,
    chosen,
    custom_metrics,
    examined,
    metric,
    value_of,
)
from assay.suites.sgi.lab.evaluation.query import (
    Intent,
    name_of,
    open_tasks,
    select,
    types_of,
    understand,
)
from assay.suites.sgi.lab.evaluation.report import aggregated, tool_usage
from assay.task import Task

EXAMPLE = Path("docs/examples/unit_discipline.py")

CONTEXT = Context({"score": 100.0}, HASHED)


@pytest.fixture(scope="module")
def tasks() -> dict[str, Task]:
    return {name_of(task): task for task in open_tasks(load().suites["sgi"])}


Evaluate = Callable[..., dict[str, Any]]


@pytest.fixture
def evaluate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Evaluate:
    def run(query: str, *arguments: str, out: str = "run", code: int = 0) -> dict[str, Any]:
        folder = tmp_path / out
        assert main(["sgi", "evaluate", query, "--out", str(folder), "--json", *arguments]) == code
        shown: dict[str, Any] = json.loads(capsys.readouterr().out)
        return shown

    return run


def content(folder: Path, name: str) -> Any:
    return json.loads((folder / f"{name}.json").read_text())


IDEAS = {"family": ("idea_generation",), "discipline": ("chemistry",)}
FOUR = ("deep_research", "idea_generation", "dry_experiment", "experimental_reasoning")


class TestSelection:
    @pytest.mark.parametrize(
        ("text", "kinds", "more"),
        [
            ("wet protocols in chemistry", {"family": ("wet_experiment",), "discipline": ("chemistry",)}, {}),
            (
                "12 hard coding questions",
                {"family": ("dry_experiment",), "level": ("3", "4", "5")},
                {"n": 12},
            ),
            ("not physics, but energy", {"discipline": ("energy",)}, {"excluded": ("physics",)}),
            ("everything but wet protocols", {"family": FOUR}, {"excluded": ("wet_experiment",)}),
            ("ideas without level 1, in chemistry", IDEAS, {"excluded": ("1",)}),
            ("ideas in chemistry about zebras", IDEAS, {"unknown": ("zebras",)}),
            ("are the ideas novel?", {"family": ("idea_generation",)}, {"aims": ("originality",)}),
            ("deep research of type Data", {"family": ("deep_research",), "type": ("Data",)}, {}),
            ("statistical analysis", {"type": ("Statistical Analysis",)}, {}),
            ("3 wet protocols of level 2", {"family": ("wet_experiment",), "level": ("2",)}, {"n": 3}),
            ("level 2 questions on ideas", {"family": ("idea_generation",), "level": ("2",)}, {}),
            ("some data", {}, {}),  # `data` is a type where deep research is named, and says nothing here
        ],
    )
    def test_words(self, tasks: dict[str, Task], text: str, kinds: Any, more: dict[str, Any]) -> None:
        assert understand(text, types_of([*tasks.values()])) == Intent(kinds, **more)

    def test_what_is_given_holds(self, tasks: dict[str, Task]) -> None:
        given = {"discipline": ("life",)}
        found = select("wet protocols in physics", [*tasks.values()], given=given, n=3)
        taken = [tasks[name] for name in found["items"]]
        assert len(taken) == 3
        assert {task.strata["discipline"] for task in taken} == {"life"}
        assert {task.strata["family"] for task in taken} == {"wet_experiment"}

    def test_the_sample_is_stratified_and_seeded(self, tasks: dict[str, Task]) -> None:
        first, again, other = (
            select("everything", [*tasks.values()], n=8, seed=s)["items"] for s in (1, 1, 2)
        )
        assert first == again != other
        families = {tasks[name].strata["family"] for name in first}
        assert families == set(FAMILIES), "the paper's five; its stages have no metrics for an inquiry"
        assert len(set(first)) == 8

    def test_as_many_as_were_asked_for_or_an_error(self, tasks: dict[str, Task]) -> None:
        assert len(select("12 dry experiments", [*tasks.values()])["items"]) == 12
        with pytest.raises(UnknownName, match="5000 were asked for") as caught:
            select("ideas", [*tasks.values()], n=5000)
        assert "more sets with --set" in caught.value.remedy

    def test_what_is_not_wanted_is_not_taken(self, tasks: dict[str, Task]) -> None:
        subset = select("8 items, not physics, but energy or life", [*tasks.values()])
        found = {tasks[name].strata["discipline"] for name in subset["items"]}
        assert found <= {"energy", "life"}
        others = select("40 items that are not about physics", [*tasks.values()])
        assert "physics" not in {tasks[name].strata["discipline"] for name in others["items"]}

    def test_words_that_nobody_understands_are_named(self, tasks: dict[str, Task]) -> None:
        assert select("ideas about zebras", [*tasks.values()])["rationale"].endswith("not understood: zebras")

    @pytest.mark.parametrize(
        ("text", "remedy"),
        [
            ("quantom phisics", "did you mean quantum, physics?"),
            ("", "name a family"),
            ("easy astronomy protocols", "without discipline astronomy there are"),
        ],
    )
    def test_nothing_is_never_everything(self, tasks: dict[str, Task], text: str, remedy: str) -> None:
        with pytest.raises(UnknownName) as caught:
            select(text, [*tasks.values()])
        assert remedy in caught.value.remedy


def announcement(**more: Any) -> str:
    """A file of Python with a metric."""
    said = {"id": "own", "families": ["wet_experiment"], "scale": (0, 1), **more}
    return f"from {metrics.__name__} import metric\nown = metric(**{said!r})(lambda i, p, c: 0)\n"


def own(evaluate: Any, **more: Any) -> Any:
    made: dict[str, Any] = {"id": "own", "families": ["wet_experiment"], "scale": (0, 1), **more}
    return metric(**made)(evaluate).assay_metric


ITEM = {"idx": "SGX_WetExperiment_0000", "answer": "x"}
PREDICTION = {"raw": "some words", "family": "wet_experiment"}


class TestMetrics:
    @pytest.mark.parametrize(
        ("evaluate", "value", "error"),
        [
            (lambda i, p, c: 0.5, 0.5, ""),
            (lambda i, p, c: True, 1.0, ""),
            (lambda i, p, c: MetricResult(None, "cannot tell"), None, ""),
            (lambda i, p, c: c.builtin["score"] / 100, 1.0, ""),
            (lambda i, p, c: 1.5, None, "outside of 0 to 1"),
            (lambda i, p, c: float("nan"), None, "no finite number"),
            (lambda i, p, c: "good", None, "no finite number"),
            (lambda i, p, c: i["no such column"], None, "KeyError"),
        ],
    )
    def test_a_metric_harms_no_other(self, evaluate: Any, value: float | None, error: str) -> None:
        result, problem = value_of(own(evaluate), ITEM, PREDICTION, CONTEXT)
        assert result.value == value
        assert error in problem and bool(error) == bool(problem)

    def test_needs(self) -> None:
        never = own(lambda i, p, c: 1 / 0, needs=["steps"])
        assert value_of(never, ITEM, PREDICTION, CONTEXT)[0].rationale == "the item has no steps"
        silent = own(lambda i, p, c: 1 / 0, needs=["prediction"])
        assert value_of(silent, ITEM, {**PREDICTION, "raw": " "}, CONTEXT)[0].value == 0

    def test_the_test_of_a_metric(self) -> None:
        trial = (ITEM, PREDICTION, {**PREDICTION, "raw": ""})
        good = examined(own(lambda i, p, c: min(len(p["raw"]) / 10, 1)), [trial], HASHED)
        assert good["right_minus_empty"] == 1 and good["right_not_worse"] is True
        bad = examined(own(lambda i, p, c: float(not p["raw"])), [trial], HASHED)
        assert bad["right_not_worse"] is False
        calls: list[int] = []
        with pytest.raises(ConfigError, match=r"it gives 0\.0 and then 1\.0"):
            examined(own(lambda i, p, c: calls.append(1) or (len(calls) - 1) % 2), [trial], HASHED)
        with pytest.raises(ConfigError, match="fails on SGX_WetExperiment_0000: ZeroDivisionError"):
            examined(own(lambda i, p, c: 1 / 0), [trial], HASHED)

    @pytest.mark.parametrize(
        ("name", "text", "said"),
        [
            ("none.py", "x = 1\n", "has no metric"),
            ("broken.py", "import no_such_module\n", "cannot be imported: ModuleNotFoundError"),
            ("table.csv", "a;b", "cannot be imported: NameError"),
            ("scale.py", announcement(scale=(1, 1)), "a scale that rises"),
            ("family.py", announcement(families=["alchemy"]), "and not alchemy"),
            ("id.py", announcement(id="A-B"), "small letters"),
            ("aggregate.py", announcement(aggregate="sum"), "mean, median, rate"),
        ],
    )
    def test_files_that_are_none(self, tmp_path: Path, name: str, text: str, said: str) -> None:
        (tmp_path / name).write_text(text)
        with pytest.raises(ConfigError, match=said):
            custom_metrics(tmp_path / name)

    def test_a_clash_of_names(self) -> None:
        with pytest.raises(ConfigError, match="two metrics have the id 'ss'"):
            chosen((), (), ["wet_experiment"], [own(lambda i, p, c: 0, id="ss")])

    def test_aims_choose_and_the_headline_stays(self) -> None:
        assert [spec.id for spec in chosen(("parameters",), (), ["wet_experiment"], [])] == ["score", "pa"]
        assert [spec.id for spec in chosen(("parameters",), ("ss",), ["wet_experiment"], [])] == [
            "score",
            "ss",
        ]


MINE = '''
from assay.suites.sgi.lab.evaluation.metric import metric

@metric(id="steps_given", families=["wet_experiment"], scale=(0, 100), aggregate="median")
def steps_given(item, prediction, ctx):
    """Lines of the reply that call an action."""
    return prediction["raw"].count("= <")
'''


class TestRuns:
    def test_from_question_to_report(self, tmp_path: Path, evaluate: Evaluate) -> None:
        """A metric of one's own is in the tables and in the report, beside the suite's."""
        (tmp_path / "mine.py").write_text(MINE)
        mine = ["--metrics", str(tmp_path / "mine.py")]
        shown = evaluate("3 wet protocols", "--set", "wet-v0", "--agent", "planner", *mine)
        assert shown["wet_experiment score"] == 100 and shown["wet_experiment steps_given"] > 5
        folder = tmp_path / "run"
        values = content(folder, "3-evaluate")["rows"]
        assert [row["value"] for row in values if row["metric"] == "score"] == [100.0] * 3
        table = {row["metric"]: row for row in content(folder, "4-report")["metrics"]}
        assert table["steps_given"]["kind"] == "code"
        for row in table.values():
            got = [values[at]["value"] for at in row["rows"]]
            assert {values[at]["metric"] for at in row["rows"]} == {row["metric"]}
            if row["aggregate"] == "mean":
                assert row["value"] == pytest.approx(sum(got) / len(got))
        page = (folder / "report.html").read_text()
        assert "steps_given" in page and 'href="#r' in page and "http" not in page

    def test_answers_are_taken_up(self, tmp_path: Path, evaluate: Evaluate) -> None:
        """What was asked for once is not asked for again, also where the metrics have changed."""
        asked = ("3 wet protocols", "--set", "wet-v0", "--agent", "wrong-doses")
        assert evaluate(*asked)["answers taken up"] == 0
        first = {p.name: p.read_bytes() for p in (tmp_path / "run").iterdir() if p.is_file()}
        assert evaluate(*asked)["answers taken up"] == 3
        assert evaluate(*asked, out="other")["answers taken up"] == 0
        for name, data in first.items():
            assert (tmp_path / "run" / name).read_bytes() == data
            assert (tmp_path / "other" / name).read_bytes() == data, name
        (tmp_path / "mine.py").write_text(MINE)
        again = evaluate(*asked, "--metrics", str(tmp_path / "mine.py"))
        assert again["answers taken up"] == 3 and again["wet_experiment steps_given"] > 5
        assert evaluate(*asked[:-1], "last-missing")["answers taken up"] == 0

    def test_replies_made_elsewhere(self, tmp_path: Path, evaluate: Evaluate) -> None:
        """Who says nothing has 0 and stays in the denominator."""
        (tmp_path / "mine.jsonl").write_text('{"idx": "SGX_IdeaGeneration_0003", "raw": "no idea"}\n')
        mine = str(tmp_path / "mine.jsonl")
        shown = evaluate("ideas", "--set", "ideas-v0", "--predictions", mine, "--n", "16")
        assert shown["idea_generation score"] == 0
        report = content(tmp_path / "run", "4-report")
        assert report["metrics"][0]["n"] == 16
        counts = {row["what"]: row["items"] for row in report["failures"]}
        assert counts == {"no_submission": 15, "hash-tf-v1": 1, "no_json": 1}

    @pytest.mark.parametrize("line", ["{", '{"idx": 5, "raw": "x"}', '{"idx": "a"}', "[]"])
    def test_bad_replies(self, tmp_path: Path, line: str, evaluate: Evaluate) -> None:
        (tmp_path / "bad.jsonl").write_text(f'{{"idx": "b", "raw": ""}}\n{line}\n')
        with pytest.raises(TableError, match=r"bad\.jsonl, line 2"):
            read_replies(tmp_path / "bad.jsonl")

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["--agent", "nobody"], "'nobody' is not in SOLVERS"),
            (["--agent", "planner", "--reader", "nobody"], "has no model 'nobody'"),
            (["--agent", "planner", "--set", "nowhere"], "has no frozen set 'nowhere'"),
            (["--agent", "planner", "--n", "0"], "--n 0 is below 1"),
            (["--agent", "planner", "--embedder", "word2vec"], "no embedder 'word2vec'"),
        ],
    )
    def test_mistakes(
        self, tmp_path: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["sgi", "evaluate", "protocols", "--out", str(tmp_path), *arguments]) == 1
        assert said in capsys.readouterr().err


@pytest.fixture
def with_models(tmp_path: Path) -> list[str]:
    """A configuration with scripted models."""
    script = "tests.suites.sgi.scripted_helpers"
    agents = {
        name.replace("_", "-"): {
            "kind": "model",
            "suites": {"sgi": "all"},
            "transport": {"kind": "fake", "script": f"{script}:{name}"},
        }
        for name in ("planner", "liar", "unreachable")
    }
    (tmp_path / "agents.yaml").write_text(yaml.safe_dump({"agents": agents}))
    whole = {"suites": {"sgi": {"settings": "config/sgi.yaml"}}, "agents": str(tmp_path / "agents.yaml")}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(whole))
    return ["--config", str(tmp_path / "config.yaml")]


class TestModels:
    def test_a_model_reads_the_query(
        self, tmp_path: Path, evaluate: Evaluate, with_models: list[str]
    ) -> None:
        shown = evaluate("anything at all", "--agent", "oracle", *with_models, "--reader", "planner")
        assert shown["metrics"] == "score, ss"
        intent = content(tmp_path / "run", "1-select")["intent"]
        assert intent["reader"] == "planner, without the unknown alchemy, no_such"
        assert content(tmp_path / "run", "4-report")["privileged"]

    def test_a_model_that_cannot_be_understood(self, evaluate: Evaluate, with_models: list[str]) -> None:
        asked = ("2 wet protocols", "--set", "wet-v0", "--agent", "oracle", *with_models)
        shown = evaluate(*asked, "--reader", "liar")
        assert "by the stated vocabulary, since liar named nothing that there is" in shown["subset"]
        assert shown["wet_experiment score"] == 100

    def test_no_connection_is_no_score(
        self, tmp_path: Path, evaluate: Evaluate, with_models: list[str]
    ) -> None:
        shown = evaluate(
            "1 wet protocol", "--set", "wet-v0", "--n", "1", "--agent", "unreachable", *with_models
        )
        assert shown["wet_experiment score"] is None
        assert shown["without an answer"].startswith("1:")
        again = evaluate(
            "1 wet protocol", "--set", "wet-v0", "--n", "1", "--agent", "unreachable", *with_models
        )
        assert again["answers taken up"] == 0  # it was asked once more


def test_aggregates() -> None:
    assert aggregated([1.0, None], "mean")["value"] is None
    assert aggregated([1.0, None], "mean")["missing"] == 1
    assert aggregated([1.0, 2.0, 9.0], "median")["value"] == 2
    assert aggregated([0.0, 0.5], "rate")["value"] == 0.5
    assert aggregated([3.0], "mean") == {"n": 1, "missing": 0, "value": 3.0, "low": None, "high": None}


def test_published_tools() -> None:
    """The shares of the paper: 33.98, 24.27, 22.57, 12.61 and 6.56 % of 1,586 calls."""
    shares = {row["tool"]: round(100 * row["published_share"], 2) for row in tool_usage([])}
    assert shares == {
        "web_search": 33.98,
        "visit_webpage": 24.27,
        "final_answer": 22.57,
        "python_interpreter": 12.61,
        "wikipedia_search": 6.56,
    }


def test_the_example_of_the_page() -> None:
    (spec,) = custom_metrics(EXAMPLE)
    raw = json.dumps({"answer": "1", "steps": [{"value": "1", "unit": "m"}, {"value": "2", "unit": ""}]})
    result, problem = value_of(spec, {**ITEM, "answer": "1"}, {"raw": raw}, CONTEXT)
    assert (result.value, problem) == (0.5, "")
