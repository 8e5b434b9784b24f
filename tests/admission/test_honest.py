"""Unusual but honest bundles are admitted; a killed admission leaves the old or the new state."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.admission.bundles import Members
from tests.admission.test_admission import DATE, decide, host, project, sent, state
from tests.admission.unusual import HONEST, Honest, bundle_of
from tests.protocol.conformance import ROOT

from assay.admission.ledger import Ledger
from assay.cli.main import main
from assay.config.loading import load

__all__ = ["host", "sent"]  # fixtures


@pytest.mark.parametrize("name", HONEST)
def test_an_unusual_but_honest_bundle_is_admitted(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = HONEST[name]
    monkeypatch.chdir(project(tmp_path / "away"))
    data = bundle_of(honest, main)
    monkeypatch.chdir(project(tmp_path / "host"))
    verdict = decide(data)
    assert verdict["verdict"] == "admitted with notes", verdict["reasons"]
    assert tuple(reason["code"] for reason in verdict["reasons"]) == honest.notes  # type: ignore[attr-defined]
    assert main(["ledger", "check"]) == 0
    admitted = load(Path("config/config.yaml")).admitted[honest.agent]
    assert len(admitted.missing) == honest.lost


def test_there_are_twenty() -> None:
    assert len(HONEST) >= 20


def test_two_agents_with_the_same_model_are_both_admitted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundles = []
    for agent in ("first", "second"):
        monkeypatch.chdir(project(tmp_path / agent))
        bundles.append(bundle_of(Honest(agent=agent, play=HONEST["many calls"].play), main))
    monkeypatch.chdir(project(tmp_path / "host"))
    assert [reason["code"] for reason in decide(bundles[0])["reasons"]] == ["harness"]  # type: ignore[attr-defined]
    second = decide(bundles[1])
    assert [reason["code"] for reason in second["reasons"]] == ["same-calls", "harness"]  # type: ignore[attr-defined]
    assert main(["ledger", "check"]) == 0


@pytest.mark.full
def test_an_admission_killed_at_any_moment_leaves_the_old_or_the_new_state(
    host: Path, sent: tuple[bytes, Members]
) -> None:
    Path("sent").write_bytes(sent[0])
    old = state(host)
    command = [sys.executable, "-m", "assay", "admit", "sent", "--date", DATE, "--workers", "1"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}
    start = time.monotonic()
    subprocess.run(command, env=environment, check=True, capture_output=True)
    whole = time.monotonic() - start
    new = state(host)
    assert new != old
    draws = random.Random(32)
    seen = set()
    for _ in range(30):
        (line,) = Ledger.read(Path("ledger")).admitted
        assert main(["ledger", "remove", str(line.n), "--date", DATE]) == 0
        before = state(host)
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        time.sleep(draws.uniform(0.3, 1.05) * whole)
        process.send_signal(signal.SIGKILL)
        process.wait()
        admitted = bool(Ledger.read(Path("ledger")).admitted)
        seen.add(admitted)
        again = subprocess.run(command, env=environment, capture_output=True)
        assert again.returncode == (1 if admitted else 0), again.stdout
        assert main(["ledger", "check"]) == 0
        added = {name for name in state(host).keys() - before.keys() if not name.startswith("ledger/")}
        assert added == {name for name in new.keys() - old.keys() if not name.startswith("ledger/")}
    assert seen == {False, True}
