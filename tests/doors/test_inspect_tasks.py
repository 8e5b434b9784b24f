"""Tasks of Inspect, played by its mock model: the same calls give the same log and the same scores."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from tests.agents.honest import honest
from tests.agents.sessions import SET, SUITE, materials, task_with, write_checkout
from tests.sessions.test_session import Calls, played, scores

import assay
from assay.agents.fakes import call
from assay.cli import main as cli
from assay.comparison.attempts import read_log
from assay.config.loading import load
from assay.doors.inspect_import import import_lines, lines_of
from assay.errors import RecordingError
from assay.sessions.recording import call_sha256, parse
from assay.sessions.replay import replay
from assay.sessions.rerun import judge

pytest.importorskip("inspect_ai", reason="needs the extra: make setup EXTRAS=models")
# Of libraries that Inspect loads: nothing in them is ours to mend.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::PendingDeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

ROOT = Path(__file__).parents[2]
WEIGH = ("", [("weigh", {})], "stop")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_checkout(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def reply(text: str = "", calls: Sequence[tuple[str, Any]] = (), stop: str = "stop") -> Any:
    """A reply of the mock model; a call whose arguments are no object stands for one that was not JSON."""
    from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput, ModelUsage
    from inspect_ai.tool import ToolCall

    asked = [
        ToolCall(id=str(n), function=tool, arguments=arguments)
        if isinstance(arguments, dict)
        else ToolCall(id=str(n), function=tool, arguments={}, parse_error="not JSON")
        for n, (tool, arguments) in enumerate(calls)
    ]
    message = ChatMessageAssistant(content=text, tool_calls=asked or None, model="mock", source="generate")
    choice: Any = ChatCompletionChoice(message=message, stop_reason=stop)  # type: ignore[arg-type]
    usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
    return ModelOutput(model="mock", choices=[choice], usage=usage)


def evaluated(replies: Sequence[Any], *, limit: Any = 1, solver: Any = None, **more: Any) -> Any:
    """The log of Inspect after a mock model has given these replies, and no others."""
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import get_model

    from assay.doors.inspect_tasks import inspect_task

    task = inspect_task("madeup", SET, config="config/config.yaml", **more.pop("task", {}))
    model = get_model("mockllm/model", custom_outputs=iter(replies), memoize=False)
    (log,) = inspect_eval(
        task, model=model, limit=limit, solver=solver, display="none", log_dir="logs", **more
    )
    assert log.status == "success", log.error
    return log


def native(calls: Calls) -> list[Any]:
    return [reply(calls=[each]) for each in calls]


def found_log(checkout: Path) -> Path:
    (path,) = (checkout / "logs").glob("*.eval")
    return path


def score_of(log: Any) -> Any:
    return log.samples[0].scores["headline"]


def assert_worth_the_same(log: Any, solver: str) -> None:
    episode, _ = played(solver)
    score = score_of(log)
    assert score.metadata["log_sha256"] == episode.log_sha256
    assert (score.metadata["status"], score.metadata["reason"]) == (episode.status, episode.reason)
    expected = scores(episode)
    assert [(m["metric"], m["value"]) for m in score.metadata["metrics"]] == [
        (s.metric, s.value) for s in expected
    ]
    assert score.value == next(s.value for s in expected if s.metric == "score")


@pytest.mark.parametrize("solver", ["exact", "coder", "careless", "doomed"])
def test_native_calls_give_the_log_and_the_scores_of_the_harness(checkout: Path, solver: str) -> None:
    assert_worth_the_same(evaluated(native(played(solver)[1])), solver)


def test_so_do_several_calls_in_one_reply_and_calls_in_a_text(checkout: Path) -> None:
    _, calls = played("exact")
    first, rest = calls[:4], calls[4:]
    assert first[-1][0] == "rest"
    replies = [reply(calls=first), *(reply(call(tool, **arguments)) for tool, arguments in rest)]
    log = evaluated(replies)
    assert_worth_the_same(log, "exact")
    opening = [m.role for m in log.samples[0].messages[:2]]
    assert opening == ["system", "user"]
    assert "Day 2." in log.samples[0].messages[1].text, "the context began anew"


def test_what_the_harness_refuses_is_counted_by_the_harness(checkout: Path) -> None:
    wrong = [("draw", {"n": 0}), ("no_such_tool", {"x": 1}), ("draw", None), ("weigh", {})]
    log = evaluated([reply(calls=wrong), reply("3"), reply(calls=[("finish", {})])])
    lines = lines_of(log.samples[0])
    events = [line["event"] for line in lines if line["kind"] == "event"]
    calls = [event for event in events if event["kind"] == "call"]
    assert [event["tool"] for event in calls] == ["draw", "no_such_tool", "draw", "weigh", "answer", "finish"]
    assert [event["ok"] for event in calls] == [False, False, False, True, True, True]
    assert "draw: n" in calls[0]["error"]
    (turn, *_) = [line for line in lines if line["kind"] == "turn"]
    assert turn["calls"] == [call_sha256(e["tool"], e["arguments"]) for e in calls[:4]]
    answers = [m for m in log.samples[0].messages if m.role == "tool"]
    assert ["draw: n" in str(m.error and m.error.message) for m in answers] == [True] + 4 * [False]


@pytest.mark.parametrize(
    ("replies", "more", "status", "reason"),
    [
        ([WEIGH, ("I would rather not", [], "content_filter")], {}, "refused", "declined"),
        ([("It is", [], "max_tokens")], {}, "truncated", "cut"),
        ([WEIGH] * 3, {"task": {"turns": 2}}, "budget", "more than 2 turns"),
        ([WEIGH] * 3, {"message_limit": 4}, "budget", "limit"),
        ([("", [], "stop")] * 2, {}, "no_submission", ""),
    ],
)
def test_every_way_to_stop_is_a_status(
    checkout: Path, replies: list[Any], more: dict[str, Any], status: str, reason: str
) -> None:
    log = evaluated([reply(*each) for each in replies], **more)
    score = score_of(log)
    assert score.metadata["status"] == status and reason in score.metadata["reason"]
    assert cli.main(["import", str(found_log(checkout)), "--agent", "mine"]) == 0


def test_a_defect_of_the_world_is_no_score(checkout: Path) -> None:
    shake = {"program": [{"tool": "shake", "arguments": {}}]}
    score = score_of(evaluated([reply(calls=[("run_code", shake)])]))
    assert score.metadata["status"] == "crashed" and math.isnan(score.value)


def test_a_solver_of_others_finds_the_tools(checkout: Path) -> None:
    from inspect_ai.solver import generate

    _, calls = played("exact")
    early = [each for each in calls if each[0] != "rest"]
    log = evaluated([*native(early), reply("done")], solver=generate())
    score = score_of(log)
    assert score.metadata["status"] == "done"
    assert score.value == 1
    told = [message.text for message in log.samples[0].messages if message.role == "tool"]
    assert "The episode is over: done." in told[-1]
    lines = lines_of(log.samples[0])
    assert {line["kind"] for line in lines} == {"recording", "event", "end"}, "only our loop notes turns"
    assert cli.main(["import", str(found_log(checkout)), "--agent", "mine"]) == 0


@pytest.mark.parametrize(
    ("suite", "task"),
    [
        ("petri", "core-v0/0"),
        ("causalab", "main-v0/0"),
        ("pilab", "reference-v0/0"),
        ("collider", "mock-v0/0"),
        ("sgi", "wet-v0/0"),
    ],
)
def test_inspect_takes_the_tools_of_every_suite(
    suite: str, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspect_ai.tool._tool_def import tool_def_fields  # what Inspect asks for when a model is called

    from assay.doors.inspect_episode import SampleEpisode, offered

    monkeypatch.chdir(ROOT)
    with assay.open_task(suite, task) as session:
        for tool in session.brief.tools:
            parameters = tool_def_fields(offered(SampleEpisode(), tool)).parameters
            assert list(parameters.properties) == list(tool.schema["properties"])
            assert parameters.required == tool.schema.get("required", [])


def test_samples_are_our_tasks_and_do_not_tell_the_truth(checkout: Path) -> None:
    from assay.doors.inspect_tasks import inspect_task

    task = inspect_task("madeup", SET, config="config/config.yaml")
    found = materials()
    tasks = [task_with(index, found) for index in range(2)]
    assert [sample.id for sample in task.dataset] == [each.task_id for each in tasks]
    for sample, each in zip(task.dataset, tasks, strict=True):
        assert sample.metadata is not None
        assert {**sample.metadata, **each.strata} == sample.metadata
        assert each.hidden["colours"] not in sample.model_dump_json()
    generated = inspect_task("madeup", "madeup-many", config="config/config.yaml")
    assert [sample.id for sample in generated.dataset] == ["0", "1", "2"]


def test_a_score_can_be_made_again_from_the_log(checkout: Path) -> None:
    from inspect_ai import score as inspect_score

    from assay.doors.inspect_episode import headline

    log = evaluated(native(played("exact")[1]))
    before = score_of(log)
    again = inspect_score(log, headline("madeup", "config/config.yaml"), action="overwrite", display="none")
    assert score_of(again).model_dump() == before.model_dump()


# --- assay import -----------------------------------------------------------------------------------------


def test_an_imported_log_replays_like_any_recording(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    episode, calls = played("coder")
    evaluated(native(calls))
    log = str(found_log(checkout))
    assert cli.main(["import", log, "--agent", "mine"]) == 0
    found = materials()
    task = task_with(0, found)
    place = f"recordings/mine/madeup/{SET}/{task.task_id}.0.jsonl"
    said = capsys.readouterr().out
    assert f"sample {task.task_id}, epoch 1: done: {place}\n" in said
    imported = "mine: 1 of 1 samples imported\nnote: 1 recording in recordings/mine will not be built: "
    assert imported in said and "\n    transport: {kind: recorded}\n" in said
    again = replay(SUITE, task, checkout / place, found)
    assert (again.status, again.log_sha256) == (episode.status, episode.log_sha256)
    assert (again.tokens_in, again.tokens_out) == (10 * len(calls), 5 * len(calls))
    assert judge(SUITE, task, checkout / place, found)["verdict"] == "identical"
    header = parse((checkout / place).read_bytes()).header
    assert header is not None
    assert header["model"]["transport"] == {"kind": "inspect", "model": "mockllm/model"}
    assert (header["agent"], header["scaffold_sha256"]) == ("mine", None)

    assert cli.main(["import", log, "--agent", "mine"]) == 0
    assert "there before" in capsys.readouterr().out
    (checkout / place).write_bytes(b"")
    assert cli.main(["import", log, "--agent", "mine"]) == 1
    assert "holds another session" in capsys.readouterr().out


def test_each_epoch_is_an_attempt(checkout: Path) -> None:
    _, calls = played("doomed")
    evaluated(native(calls) * 2, epochs=2)
    assert cli.main(["import", str(found_log(checkout)), "--agent", "mine"]) == 0
    names = sorted(path.name for path in checkout.glob("recordings/mine/madeup/*/*"))
    assert [name.split(".")[-2] for name in names] == ["0", "1"]


def forgeries(lines: list[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Recordings in which something stands that did not happen, or could not."""

    def changed(kind: str, change: Any, at: int = -1) -> list[dict[str, Any]]:
        forged = deepcopy(lines)
        change([line for line in forged if line["kind"] == kind][at])
        return forged

    yield "a result", changed("event", lambda line: line["event"].update(parts=[{"text": "green"}]), 0)
    yield "the last result", changed("event", lambda line: line["event"].update(parts=[]))
    yield "an argument", changed("event", lambda line: line["event"].update(arguments={}), 2)
    yield "a charge", changed("event", lambda line: line["event"].update(charged=7), 1)
    yield "the submission", changed("end", lambda line: line.update(submission="1"))
    yield "the status", changed("end", lambda line: line.update(status="invalid"))
    yield "the tokens", changed("end", lambda line: line.update(tokens_in=1))
    yield "the brief", changed("recording", lambda line: line.update(brief_sha256="0" * 64))
    yield "the task", changed("recording", lambda line: line.update(task_sha256="0" * 64))
    yield "a call that was not asked for", changed("turn", lambda line: line.update(calls=[]), 0)
    yield "a missing end", lines[:-1]
    yield "a missing call", [line for line in lines if line["kind"] != "event"]
    yield "a second header", [lines[0], *lines]
    yield "no field", changed("recording", lambda line: line.pop("version"))


def test_a_forged_log_is_refused(checkout: Path) -> None:
    lines = lines_of(evaluated(native(played("coder")[1])).samples[0])
    config = load(Path("config/config.yaml"))
    tried = 0
    for what, forged in forgeries(lines):
        with pytest.raises(RecordingError, match=r"it is (rejected|unfinished)"):
            import_lines(config, Path("config/config.yaml"), forged, "mine", 0)
            pytest.fail(what)
        tried += 1
    assert tried == 14
    assert not (checkout / "recordings").exists()
    assert import_lines(config, Path("config/config.yaml"), lines, "mine", 0).status == "done"


def test_the_command_names_what_it_refuses(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from inspect_ai.log import read_eval_log, write_eval_log

    evaluated(native(played("exact")[1]), limit=1)
    log = read_eval_log(str(found_log(checkout)))
    assert log.samples is not None
    event = next(line for line in log.samples[0].store["assay_recording"] if line["kind"] == "event")
    event["event"]["ok"] = False
    write_eval_log(log, "forged.eval")
    assert cli.main(["import", "forged.eval", "--agent", "mine"]) == 1
    assert "refused: it is rejected: step 0: the outcome differs" in capsys.readouterr().out
    log.samples[0].store = {}
    write_eval_log(log, "foreign.eval")
    assert cli.main(["import", "foreign.eval", "--agent", "mine"]) == 1
    assert "refused: it holds no recording" in capsys.readouterr().out


@pytest.mark.parametrize("content", [b"", b"{}", b"PK\x03\x04 nothing"])
def test_a_file_that_is_no_log_is_named(checkout: Path, content: bytes) -> None:
    for name in ("some.eval", "some.json"):
        Path(name).write_bytes(content)
        with pytest.raises(RecordingError, match="is no log of Inspect"):
            read_log(Path(name))


def test_inspect_finds_the_tasks_by_the_entry_point() -> None:
    """In a process of its own, as `inspect eval assay/petri_l1` does; the configuration has the names."""
    program = (
        "import json; from inspect_ai._util.registry import registry_find, registry_info;"
        "from inspect_ai._util.entrypoints import ensure_entry_points; ensure_entry_points();"
        "found = registry_find(lambda i: i.type == 'task');"
        "print(json.dumps([registry_info(o).name for o in found]))"
    )
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    said = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    ).stdout
    names = set(json.loads(said.splitlines()[-1]))
    assert {"assay/petri_core_v0", "assay/petri_l1", "assay/causalab_main_v0"} <= names
    config = load(ROOT / "config/config.yaml")
    sets = sum(len(suite.file.sets) for suite in config.suites.values())
    assert sum(name.startswith("assay/") for name in names) == sets + 4


@pytest.mark.full
def test_a_task_of_petri_is_worth_the_same_through_inspect(tmp_path: Path) -> None:
    """By its name, in a process of its own, played by a mock model that makes a solver's calls."""
    played = honest()
    calls = [[event.tool, event.arguments] for event in played.episode.events]
    program = (
        "import json, sys; from inspect_ai import eval; from inspect_ai.model import get_model;"
        "from tests.doors.test_inspect_tasks import native;"
        "model = get_model('mockllm/model', custom_outputs=native(json.loads(sys.argv[1])));"
        "log, = eval('assay/petri_l1', model=model, limit=1, display='none', log_dir=sys.argv[2]);"
        "score = log.samples[0].scores['headline'];"
        "print(json.dumps([score.value, score.metadata['log_sha256']]))"
    )
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    said = subprocess.run(
        [sys.executable, "-c", program, json.dumps(calls), str(tmp_path)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert json.loads(said.splitlines()[-1]) == [95, played.episode.log_sha256]
    assert played.scores["score"] == 95
