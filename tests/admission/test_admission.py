"""Bundles of strangers: admitted where all is well, else refused with a reason, and nothing changed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import yaml
from tests.admission.bundles import BAD, Bad, Members, head, sealed
from tests.protocol.conformance import ROOT
from tests.protocol.madeup import SUITE

import assay
from assay.admission import archive, statements
from assay.admission.admit import admit
from assay.admission.bundle import STATEMENT
from assay.admission.ledger import FILE, Ledger
from assay.cli.main import main
from assay.config.loading import load
from assay.writing import write_whole

DATE = "2026-03-01"
SET = "madeup-v0"


def project(root: Path, *agents: str, attempts: int = 1) -> Path:
    """A project with the made-up suite and recorded agents."""
    (root / "config").mkdir(parents=True)
    (root / "tasks").symlink_to(ROOT / "tests/protocol/tasks")
    entry = {
        "kind": "model",
        "suites": {"madeup": [SET]},
        "transport": {"kind": "recorded"},
        **({} if attempts == 1 else {"attempts": attempts}),
    }
    files = {
        "config.yaml": {"suites": {"madeup": {"package": SUITE.package, "settings": "config/madeup.yaml"}}},
        "madeup.yaml": {"sets": {SET: "frozen", "madeup-early": "frozen"}},
        "agents.yaml": {
            "agents": {
                "exact": {"kind": "solver", "suites": {"madeup": [SET]}},
                **dict.fromkeys(agents, entry),
            }
        },
    }
    for name, value in files.items():
        (root / "config" / name).write_text(yaml.safe_dump(value))
    return root


def play(agent: str, attempts: int = 1, *, draws: int = 1) -> None:
    """Record an agent that draws balls and guesses, in the working folder."""
    for attempt in range(attempts):
        for index in range(7):
            with assay.open_task(
                "madeup", f"{SET}/{index}", agent=agent, record=True, attempt=attempt
            ) as session:
                for _ in range(draws + attempt):
                    session.call("draw", {"n": 1})
                session.call("answer", {"text": str(index + attempt)})


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Members]:
    """A good bundle: its bytes, and its members."""
    away = project(tmp_path_factory.mktemp("away"), "stranger")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(away)
        play("stranger")
        assert main(["submit", "stranger", "--sets", f"madeup/{SET}", "--out", "bundle"]) == 0
    return (away / "bundle").read_bytes(), archive.unpack(away / "bundle")


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = project(tmp_path / "host")
    monkeypatch.chdir(root)
    return root


def state(root: Path) -> dict[str, str]:
    """The hash of every file of a project but the lock of its ledger."""
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != ".lock" and "tasks" not in path.parts
    }


def decide(data: bytes, **more: object) -> dict[str, object]:
    Path("bundle").write_bytes(data)
    verdict = admit(Path("bundle"), Path("ledger"), Path("config/config.yaml"), date=DATE, workers=1, **more)  # type: ignore[arg-type]
    Path("bundle").unlink()
    return verdict.to_json()


def test_the_whole_way(host: Path, sent: tuple[bytes, Members], capsys: pytest.CaptureFixture[str]) -> None:
    Path("sent").write_bytes(sent[0])
    assert main(["admit", "sent", "--date", DATE, "--workers", "1", "--json"]) == 0
    verdict = json.loads(capsys.readouterr().out)
    assert (verdict["verdict"], verdict["code"]) == ("admitted with notes", "harness")
    assert (verdict["episodes"], verdict["rungs"]) == (7, ["replayed"])
    assert len(list(Path("recordings/stranger/madeup").rglob("*.jsonl"))) == 7
    assert "stranger" in load(Path("config/config.yaml")).agents
    assert main(["ledger", "check"]) == 0
    assert main(["admit", "sent", "--date", DATE, "--workers", "1"]) == 1
    assert "line 0 of the ledger admits it already" in capsys.readouterr().out
    assert main(["ledger", "remove", "0", "--date", "2026-03-02", "--reason", "withdrawn"]) == 0
    assert not Path("recordings/stranger").exists()
    assert "stranger" not in load(Path("config/config.yaml")).agents
    assert main(["ledger", "check"]) == 0
    assert main(["ledger", "show"]) == 0
    assert "the admission of line 0 (withdrawn)" in capsys.readouterr().out


def test_equal_recordings_give_equal_bytes(sent: tuple[bytes, Members]) -> None:
    assert archive.pack(sent[1]) == sent[0]
    assert archive.pack(dict(reversed(sent[1].items()))) == sent[0]


@pytest.mark.parametrize("kind", BAD, ids=lambda kind: kind.name)
def test_a_bad_bundle_is_refused_and_changes_nothing(
    kind: Bad, host: Path, sent: tuple[bytes, Members]
) -> None:
    before = state(host)
    for number in range(3):
        verdict = decide(kind.spoil(dict(sent[1]), number))
        assert verdict["verdict"] == "refused", number
        assert verdict["code"] == kind.code, verdict["reasons"]
        assert verdict["reasons"][0]["words"]  # type: ignore[index]
    assert state(host) == before


def test_there_are_many_kinds() -> None:
    assert len(BAD) >= 40
    assert len({kind.code for kind in BAD}) >= 10


def test_missing_sessions_count_as_zero(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project(tmp_path / "away", "stranger"))
    play("stranger")
    whole = decide_elsewhere(tmp_path / "whole", submitted())
    gone = sorted(Path("recordings/stranger").rglob("*.jsonl"))[0]
    gone.unlink()
    assert main(["submit", "stranger", "--sets", f"madeup/{SET}", "--out", "x"]) == 2
    assert "1 of 7 sessions of stranger are missing" in capsys.readouterr().err
    less = decide_elsewhere(tmp_path / "less", submitted("--incomplete"))
    assert less["code"] == "missing"
    assert less["episodes"] == 6
    assert less["scores"][f"madeup/{SET}"] <= whole["scores"][f"madeup/{SET}"]  # type: ignore[index]


def submitted(*options: str) -> bytes:
    assert main(["submit", "stranger", "--sets", f"madeup/{SET}", "--out", "out", *options]) == 0
    return Path("out").read_bytes()


def decide_elsewhere(root: Path, data: bytes) -> dict[str, object]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project(root))
        return decide(data)


def test_a_signed_bundle_is_bound_to_its_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: tuple[bytes, Members]
) -> None:
    pytest.importorskip("cryptography")
    monkeypatch.chdir(project(tmp_path / "away", "stranger"))
    play("stranger")
    assert main(["ledger", "key", "new", "mine"]) == 0
    assert main(["ledger", "key", "new", "other"]) == 0
    signed, otherwise = submitted("--key", "mine"), submitted("--key", "other")
    assert signed == submitted("--key", "mine")
    monkeypatch.chdir(project(tmp_path / "host"))
    members = dict(sent[1])
    Path("signed").write_bytes(signed)
    envelope = archive.unpack(Path("signed"))[STATEMENT]
    changed = sealed({**members, STATEMENT: envelope, "card.yaml": b"name: somebody else\n"})
    assert decide(changed)["code"] == "signature"
    assert decide(signed)["verdict"] == "admitted with notes"
    assert main(["ledger", "remove", "1", "--date", DATE]) == 0
    for data in (otherwise, sent[0]):  # with another key, and unsigned
        assert decide(data)["code"] == "signature"
    assert decide(signed)["verdict"] == "admitted with notes"
    assert main(["ledger", "check"]) == 0


def test_an_announced_run_must_be_what_was_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    away = project(tmp_path / "away", "stranger", attempts=2)
    monkeypatch.chdir(away)
    play("stranger", 2)
    good = submitted()
    monkeypatch.chdir(project(tmp_path / "host", "stranger", attempts=2))
    announce = [
        "ledger",
        "announce",
        "stranger",
        "--sets",
        f"madeup/{SET}",
        "--attempts",
        "2",
        "--date",
        DATE,
    ]
    assert main(announce) == 0
    (Path("config") / "agents.yaml").write_text("agents: {}")
    Path("good").write_bytes(good)
    members = archive.unpack(Path("good"))
    fewer = {name: data for name, data in members.items() if ".1.jsonl" not in name}
    entry = {**head(members)["entry"]}
    entry.pop("attempts")
    assert decide(sealed(fewer, attempts=1, entry=entry))["code"] == "announcement"
    verdict = decide(good)
    assert verdict["rungs"] == ["replayed", "announced"]
    assert main(["ledger", "check"]) == 0


def test_copied_replies_and_equal_attempts_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    away = project(tmp_path / "away", "stranger", attempts=2)
    monkeypatch.chdir(away)
    for attempt in range(2):
        for index in range(7):
            with assay.open_task(
                "madeup", f"{SET}/{index}", agent="stranger", record=True, attempt=attempt
            ) as session:
                for _ in range(5):
                    session.call("manual", {})
                session.call("answer", {"text": "1"})
    assert decide_elsewhere(tmp_path / "one", submitted())["code"] == "equal-attempts"
    Path("cards").mkdir()
    Path("cards/stranger.yaml").write_text("name: Stranger\ndeterministic: true\n")
    verdict = decide_elsewhere(tmp_path / "two", submitted())
    assert [reason["code"] for reason in verdict["reasons"]] == ["equal-attempts", "harness"]  # type: ignore[attr-defined]


def test_secrets_and_paths_are_not_submitted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project(tmp_path / "away", "stranger"))
    play("stranger")
    with assay.open_task("madeup", f"{SET}/0", agent="stranger", record=True, attempt=1) as session:
        session.call("answer", {"text": "see " + "/home" + "/somebody/notes"})
    path = next(Path("recordings/stranger").rglob("*.1.jsonl"))
    path.replace(path.with_name(path.name.replace(".1.", ".0.")))
    assert main(["submit", "stranger", "--sets", f"madeup/{SET}", "--out", "x"]) == 1
    assert "a path in somebody's home folder" in capsys.readouterr().err
    assert not Path("x").exists()


@pytest.mark.parametrize("spoil", ["byte", "drop", "swap", "cut"])
def test_a_changed_ledger_is_found_and_the_line_named(
    spoil: str, host: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for day in range(1, 6):
        command = ["ledger", "commit", "--set", f"madeup/fresh-{day}", "--hash", f"{day:064x}"]
        assert main([*command, "--date", f"2026-03-0{day}"]) == 0
    path = Path("ledger") / FILE
    good = path.read_text().splitlines(keepends=True)
    for number in range(5):
        lines = list(good)
        if spoil == "byte":
            lines[number] = lines[number].replace("fresh-", "Fresh-")
        elif spoil == "drop" and number < 4:
            del lines[number]
        elif spoil == "swap" and number < 4:
            lines[number : number + 2] = lines[number + 1], lines[number]
        elif spoil == "cut":
            lines = [*lines[:number], lines[number][:-20]]
        else:
            continue
        path.write_text("".join(lines))
        capsys.readouterr()
        assert main(["ledger", "check"]) == 1
        assert f"line {number}:" in capsys.readouterr().out
        with pytest.raises(Exception, match=f"line {number}"):
            Ledger.read(Path("ledger"))
    path.write_text("".join(good[:-1]))  # the last line dropped: only the published hash shows it
    assert main(["ledger", "check"]) == 0
    path.write_text("".join(good))
    published = Ledger.read(Path("ledger")).head
    path.write_text("".join(good[:-1]))
    assert main(["ledger", "check", "--head", published]) == 1


def test_a_raised_rung_is_found(
    host: Path, sent: tuple[bytes, Members], capsys: pytest.CaptureFixture[str]
) -> None:
    decide(sent[0])
    ledger = Ledger.read(Path("ledger"))
    line = ledger.lines[0]
    raised = {**line.facts, "rungs": ["replayed", "announced"]}
    forged = Ledger(ledger.folder, ()).added(
        "admit", date=line.date, subject=line.subject, by=line.by, reason=line.reason, facts=raised
    )
    forged.write()
    capsys.readouterr()
    assert main(["ledger", "check"]) == 1
    assert "line 0: its rungs are replayed, announced" in capsys.readouterr().out


def test_what_a_killed_admission_left_is_removed(host: Path, sent: tuple[bytes, Members]) -> None:
    decide(sent[0])
    before = state(host)
    (Path("ledger") / FILE).unlink()  # all was in place but the line
    assert decide(sent[0])["verdict"] == "admitted with notes"
    assert state(host) == before


def test_a_bundle_that_cannot_be_read_is_no_refusal(host: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["admit", "nothing", "--date", DATE]) == 2
    assert "there is no file nothing" in capsys.readouterr().err
    write_whole(Path("some"), b"x")
    assert main(["admit", "some", "--date", "tomorrow"]) == 2
    assert "is no date" in capsys.readouterr().err


def test_statements_of_rebuilds_stand_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("cryptography")
    monkeypatch.chdir(tmp_path)
    for key in ("mine", "yours"):
        statements.new_key(Path(key))
    value = statements.of_rebuild("0" * 64, {"petri": "identical", "sgi": "differs"}, {"ofat": "1" * 64})
    for name, key in (("one", "mine"), ("two", "mine"), ("three", "yours")):
        statements.write(statements.sign(value, Path(key)), Path(name))
    assert Path("one").read_bytes() == Path("two").read_bytes()
    payloads = {json.loads(Path(name).read_text())["payload"] for name in ("one", "three")}
    assert len(payloads) == 1
    rows = statements.side_by_side([Path("one"), Path("three")])
    assert rows[0]["suites"] == {"petri": "identical", "sgi": "differs"}
    assert rows[0]["key"] != rows[1]["key"]
    assert main(["statement", "check", "one", "three"]) == 0
    assert "1 agents: equal rows" in capsys.readouterr().out
    other = statements.of_rebuild("0" * 64, {"petri": "identical", "sgi": "identical"}, {})
    statements.write(statements.sign(other, Path("yours")), Path("other"))
    assert main(["statement", "check", "one", "other"]) == 1
    assert "they differ in rows ofat, suites sgi" in capsys.readouterr().out
    text = Path("one").read_text()
    Path("one").write_text(text.replace('"keyid":"', '"keyid":"0'))
    statements.write(statements.unsigned(value), Path("unsigned"))
    for bad in ("one", "unsigned", "mine", "nothing"):
        assert main(["statement", "check", bad]) == 1
