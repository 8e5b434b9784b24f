"""Test-time learning: rewards and advantages of the paper, what each objective optimises, a tiny model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.suites.sgi import archived

from assay.cli.main import main
from assay.errors import ConfigError
from assay.suites.sgi.embeddings.embedder import HASHED, NamedEmbedder
from assay.suites.sgi.lab.learning import outcome
from assay.suites.sgi.lab.learning.configuration import DEFAULT, read
from assay.suites.sgi.lab.learning.model_training import load
from assay.suites.sgi.lab.learning.outcome import measured
from assay.suites.sgi.lab.learning.prompts import FORM, Prompt, prompts
from assay.suites.sgi.lab.learning.rewards import answer_of, innovation, is_new, rewards, soundness
from assay.suites.sgi.lab.learning.template_policy import FORMS, advantages, learn
from assay.suites.sgi.v0.recorded import recorded
from assay.suites.sgi.v0.replies import SOLUTIONS, copied
from assay.tables.reader import read_rows

solve = SOLUTIONS["idea_generation"]


def said(solver: str, item: dict[str, Any]) -> str:
    """What a recorded solver answered."""
    text: str = recorded(solver, "idea_generation", item)[-1][1]["text"]
    return text


class TestRewards:
    @pytest.mark.parametrize(
        ("reply", "reward"),
        [
            ("<think>a</think><answer>b</answer>", 1),
            ("\n<think>a</think>\n\n<answer>b</answer>\n", 1),
            ("<think></think><answer>b</answer>", 1),
            ("<think>a<answer>b</answer>", 0),
            ("<think>a</think><answer>b</answer><answer>c</answer>", 0),
            ("<think>a</think><answer>b</answer> and more", 0),
            ("well: <think>a</think><answer>b</answer>", 0),
            ("<think>a</think> so <answer>b</answer>", 0),
            ("<think>a</think><answer> \n</answer>", 0),
            ("<answer>b</answer><think>a</think>", 0),
            ("<think>a<think></think><answer>b</answer>", 0),
            ("<Think>a</Think><answer>b</answer>", 0),
            ("b", 0),
            ("", 0),
        ],
    )
    def test_form(self, reply: str, reward: float) -> None:
        assert rewards(reply, (), HASHED).format == reward

    @pytest.mark.parametrize(
        ("cosines", "value", "new"),
        [
            ((0.62, 0.48, 0.55, 0.31), 5.1, True),
            ((0.5, 0.5, 0.5, 0.5), 5.0, False),
            ((0.70, 0.60, 0.52, 0.58), 4.0, False),
            ((-0.1, -0.2, 0.0, 0.05), 10.0, True),
        ],
    )
    def test_novelty(self, cosines: tuple[float, ...], value: float, new: bool) -> None:
        """Works that stand at stated angles to an answer."""
        angles = {"answer": {0: 1.0}, **{str(c): {0: c, 1: (1 - c * c) ** 0.5} for c in cosines}}
        embedder = NamedEmbedder("angles", angles.__getitem__, semantic=False)
        far = innovation("answer", [*map(str, cosines)], embedder)
        assert far == pytest.approx(value)
        assert is_new(far) is new

    def test_who_repeats_all_related_works_is_not_new(self) -> None:
        works = ["A cat sits on the mat.", "A cat sits on a mat."]
        reply = "<think></think><answer>A cat sits on the mat.</answer>"
        assert rewards(reply, works, HASHED).novelty == 0
        assert rewards(reply, ["Something else entirely."], HASHED).novelty == 1
        assert rewards("A new thought.", works, HASHED).novelty == 0  # no answer

    def test_soundness(self) -> None:
        item = archived.row("ideas-v0")
        plan, words = solve(item), "Fish sing of a better tomorrow."
        reversed_plan = said("reversed-order", item)
        empty = said("types-only", item)
        assert soundness(plan) > 0.9
        assert soundness(reversed_plan) == pytest.approx(soundness(plan))  # sound, though not the reference
        assert soundness(words) == 0
        assert soundness(empty) < soundness(plan) - 0.1  # no step has a quantity
        assert soundness(copied(item["question"])) < 0.8
        whole = json.loads(plan)
        loop = [*whole["ImplementationOrder"], "5-1"]
        assert soundness(json.dumps({**whole, "ImplementationOrder": loop})) < soundness(plan) - 0.15
        assert rewards(plan, (), HASHED).soundness == 0  # it has not the form
        assert rewards(f"<think></think><answer>{plan}</answer>", (), HASHED).soundness == soundness(plan)


class TestAdvantages:
    """Worked examples, with the deviation of a sample as in TRL."""

    def test_table(self) -> None:
        got = advantages((2.0, 1.0, 1.0, 0.0, 2.0, 1.0, 1.0, 0.0))
        assert got == pytest.approx([1.3227, 0, 0, -1.3227, 1.3227, 0, 0, -1.3227], abs=5e-5)
        assert advantages([2.0] * 3 + [1.0] * 5) == pytest.approx([1.2074] * 3 + [-0.7244] * 5, abs=5e-4)

    def test_equal_rewards_teach_nothing(self) -> None:
        assert advantages([1.0] * 8) == [0.0] * 8


@pytest.fixture(scope="module")
def prompt() -> Prompt:
    (found,), _ = prompts(1, 1, 4)
    return found


class TestPrompts:
    def test_related_works_are_of_the_item_and_frozen(self) -> None:
        first, corpus = prompts(1, 3, 4)
        assert (first, corpus) == prompts(1, 3, 4)
        assert prompts(2, 3, 4)[1] != corpus
        for one in first:
            assert len(one.related) == 4
            shown = one.item["related_work"] + one.item["existing_solutions"]
            assert any(work.partition(": ")[2][:40] in shown for work in one.related)

    def test_no_reference_is_shown(self) -> None:
        for one in prompts(1, 4, 4)[0]:
            assert one.item["core_idea"] not in one.text + "".join(one.related)

    def test_the_end_of_a_long_prompt(self) -> None:
        assert prompts(1, 1, 4, 16)[0][0].text == f"{FORM}\n"[-16:]


class TestReadyMadeReplies:
    """32 replies: what an objective optimises shows in what is left."""

    def test_the_form_is_learned(self, prompt: Prompt) -> None:
        for objective in ("novelty", "feasible"):
            rows = learn(prompt, objective).rows
            assert rows[0]["format"] == pytest.approx(2 / len(FORMS)) and rows[0]["format"] < 0.3
            assert rows[200]["format"] > 0.9
        assert learn(prompt, "novelty", steps=20) == learn(prompt, "novelty", steps=20)

    def test_what_each_objective_optimises(self, prompt: Prompt) -> None:
        """Novelty alone ends anywhere: words without sense and copies count as much as a plan."""
        novelty = [learn(prompt, "novelty", seed=seed) for seed in range(8)]
        feasible = [learn(prompt, "feasible", seed=seed) for seed in range(8)]
        assert all(run.rows[-1]["novelty"] > 0.9 for run in [*novelty, *feasible])
        assert all(run.contents["plan"] > 0.9 for run in feasible)
        assert sum(run.contents["plan"] > 0.5 for run in novelty) < 5
        assert min(run.rows[-1]["soundness"] for run in novelty) < 0.1

    @pytest.mark.full  # forty runs
    def test_command(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["sgi", "learn", "--templates", "--out", str(tmp_path), "--json"]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert shown["feasible"]["runs that end with"]["plan"] > 15
        assert shown["novelty"]["runs that end with"]["plan"] < 10
        rows = list(read_rows(tmp_path / "feasible" / "curve.parquet", outcome.CURVE))
        assert [row["step"] for row in rows] == list(range(201))
        assert (tmp_path / "novelty" / "curve.svg").read_text().startswith("<svg")


def test_measures(prompt: Prompt) -> None:
    """What is not rewarded is seen: the same reply over and over, and how it scores with the reference."""
    best = f"<think></think><answer>{SOLUTIONS['idea_generation'](prompt.item)}</answer>"
    got = measured([(prompt, best), (prompt, "nothing")], HASHED, 5.0)
    assert got["format"] == got["new"] == 0.5
    assert got["effectiveness"] == pytest.approx(100) and got["feasibility"] == pytest.approx(100)
    assert measured([(prompt, "nothing")], HASHED, 5.0)["novelty"] is None
    once = measured([(prompt, best)], HASHED, 5.0)["distinct_pairs"] or 0
    assert (measured([(prompt, best)] * 4, HASHED, 5.0)["distinct_pairs"] or 0) < once / 3


class TestConfiguration:
    def test_the_file_has_the_published_values(self) -> None:
        found = read(DEFAULT, {})
        published = {"loss_type": "grpo", "num_generations": 8, "temperature": 1.0, "learning_rate": 5e-7}
        published |= {"max_completion_length": 2048, "per_device_train_batch_size": 4, "bf16": True}
        assert found.training.items() >= published.items()
        assert (found.rewarding.related_works, found.rewarding.threshold) == (4, 5)

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"items.cuont": 1}, r"items\.cuont: Extra inputs"),
            ({"training": 1}, "names no setting"),
            ({"rewarding.objective": "fame"}, r"rewarding\.objective"),
        ],
    )
    def test_mistakes(self, changes: dict[str, Any], said: str) -> None:
        with pytest.raises(ConfigError, match=said):
            read(DEFAULT, changes)

    def test_no_model(self) -> None:
        with pytest.raises(ConfigError, match="no folder with a model"):
            load(Path("Qwen/Qwen3-8B"), True)

    @pytest.mark.full  # loading PyTorch takes its time
    def test_a_damaged_model(self, tmp_path: Path) -> None:
        pytest.importorskip("trl")
        (tmp_path / "config.json").write_text("{}")
        with pytest.raises(ConfigError, match="no model that can be loaded"):
            load(tmp_path, False)

    def test_without_the_extra(self, tmp_path: Path) -> None:
        (tmp_path / "config.json").write_text("{}")
        program = f"""
import sys
from pathlib import Path
sys.modules.update(torch=None, trl=None, transformers=None)
from assay.suites.sgi.lab.learning.model_training import load
load(Path({str(tmp_path)!r}), False)
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        assert done.stderr.strip().endswith("remedy: install it: make setup EXTRAS=ttrl")


def settings(**values: Any) -> list[str]:
    """The settings of the tiny model's training."""
    chosen = {
        "rewarding.embedder": "hash-tf-v1",
        "items.count": 8,
        "items.held_out": 1,
        "items.prompt_characters": 16,
        "training.bf16": "false",
        "training.learning_rate": 0.001,
        "training.max_completion_length": 16,
        "training.max_steps": 50,
        "training.per_device_train_batch_size": 32,
        "training.gradient_accumulation_steps": 1,
        **values,
    }
    return [word for name, value in chosen.items() for word in ("--set", f"{name}={value}")]


def program(*arguments: str) -> str:
    """Run a module in a process of its own, since the libraries warn and set threads; returns its errors."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(["src", *filter(None, sys.path)])}
    done = subprocess.run(
        [sys.executable, "-m", *arguments], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 or done.stderr.startswith("error:") or "\nerror:" in done.stderr, done.stderr
    return done.stderr


@pytest.mark.full
def test_a_tiny_model_learns_the_form(tmp_path: Path) -> None:
    """From below 0.2 to above 0.9, and the same again; both objectives; the folder of the model stays."""
    pytest.importorskip("trl")
    model = tmp_path / "model"
    program("tests.suites.sgi.tiny_model", str(model))
    weights = (model / "model.safetensors").read_bytes()
    learned, again, feasible = (tmp_path / name for name in ("learned", "again", "feasible"))
    run = ("assay", "sgi", "learn", "--model", str(model), "--out")
    program(*run, str(learned), *settings())
    rows = list(read_rows(learned / "curve.parquet", outcome.CURVE))
    form = [row["format"] for row in rows]
    assert form[0] < 0.2
    assert sum(form[-5:]) / 5 > 0.9
    summary = json.loads((learned / "summary.json").read_text())
    assert summary["before"]["format"] < 0.2 < summary["after"]["format"]
    assert any(answer_of(reply) for reply in summary["examples"])
    program(*run, str(again), *settings(**{"training.max_steps": 8}))
    assert list(read_rows(again / "curve.parquet", outcome.CURVE)) == rows[:8]
    changes = {"training.max_steps": 2, "rewarding.objective": "feasible"}
    program(*run, str(feasible), *settings(**changes), "--save")
    for row in read_rows(feasible / "curve.parquet", outcome.CURVE):
        assert row["total"] == pytest.approx(row["format"] + row["novelty"] + row["soundness"])
    for wrong in ({"training.learning_rat": 1}, {"training.per_device_train_batch_size": 12}):
        assert "error: TRL refuses `training`" in program(*run, str(again), *settings(**wrong))
    assert (model / "model.safetensors").read_bytes() == weights
    assert (feasible / "model" / "model.safetensors").read_bytes() != weights
