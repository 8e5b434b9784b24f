"""Verify: what is identical is said to be, and everything else is not; explain and repair."""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.build.damage import RECORDS, sealed
from assay.build.paths import BUILT
from assay.build.store import FROZEN_VIEW
from assay.cli.verify import add_arguments, main
from assay.config.places import FROZEN
from assay.errors import NotBuilt, UnknownName
from assay.tables.schema import Column, Schema
from assay.tables.writer import write_table
from assay.verdict import verify as verify_module
from assay.verdict.manifest import Output, build_manifest, freeze, read_manifest, write_manifest
from assay.verdict.remake import Build, explain, repair, snakemake
from assay.verdict.verify import INSTALLED_WRITER, Verdict, verify

SUMS = Schema(
    "sums",
    1,
    (
        Column("agent", "string", ""),
        Column("metric", "string", ""),
        Column("mean", "float64", "", nullable=True),
    ),
    key=("agent", "metric"),
    partition="agent",
)
RANKS = Schema("ranks", 1, (Column("metric", "string", ""), Column("best", "string", "")), key=("metric",))
METRICS = ("score", "solved", "steps")


class Checkout:
    """A small checkout whose `make` builds what its `source.json` says, as the workflow would."""

    def __init__(self, root: Path, **source: Any) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        if source or not (root / "source.json").exists():
            self.edit(**{"agents": ["ann", "bob"], "suites": ["petri", "pilab"], "shift": 0.0} | source)

    def edit(self, **source: Any) -> Checkout:
        path = self.root / "source.json"
        now = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps({**now, **source}))
        return self

    def outputs(self) -> list[Output]:
        source = json.loads((self.root / "source.json").read_text())
        agents = tuple(source["agents"])
        return [
            output
            for suite in source["suites"]
            for output in (
                Output(f"results/{suite}/sums.parquet", "table", suite, "tables", agents, "agent"),
                *self.aggregates(suite, agents),
                *(
                    Output(f"results/{suite}/scores/{a}.parquet", "table", suite, "merge", (a,), "agent")
                    for a in agents
                ),
                *(self.aggregates(suite, tuple(source["frozen"]), FROZEN_VIEW) if "frozen" in source else ()),
            )
        ]

    @staticmethod
    def aggregates(suite: str, agents: tuple[str, ...], view: str = "") -> list[Output]:
        return [
            Output(f"{view}results/{suite}/ranks.parquet", "table", suite, "tables", agents),
            Output(f"{view}reports/{suite}/scores.svg", "figure", suite, "figures", agents),
        ]

    def make(self, names: Sequence[str] = ()) -> Checkout:
        source = json.loads((self.root / "source.json").read_text())
        for output in self.outputs():
            path = self.root / output.path
            if names and output.path not in names:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            if output.path.endswith("ranks.parquet"):
                write_table([{"metric": m, "best": " ".join(output.agents)} for m in METRICS], path, RANKS)
            elif output.kind == "table":
                write_table([self.row(a, m, source) for a in output.agents for m in METRICS], path, SUMS)
            else:
                path.write_text(f"<svg>\n<!-- {' '.join(output.agents)} {source['shift']} -->\n</svg>\n")
        if not names:
            built = build_manifest(self.root, self.outputs(), source["suites"])
            write_manifest(self.root / BUILT, built)
        return self

    @staticmethod
    def row(agent: str, metric: str, source: dict[str, Any]) -> dict[str, Any]:
        return {"agent": agent, "metric": metric, "mean": (len(agent) + ord(agent[0])) / 7 + source["shift"]}

    def freeze(self) -> Checkout:
        freeze(self.root)
        return self

    def verify(self) -> Verdict:
        return verify(self.root)

    def states(self) -> dict[str, str]:
        return {finding.path: finding.state for finding in self.verify().findings}

    def __truediv__(self, name: str) -> Path:
        return self.root / name


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "checkout").make().freeze()


PETRI = "results/petri/sums.parquet"


def finding(verdict: Verdict, path: str) -> verify_module.Finding:
    return next(f for f in verdict.findings if f.path == path)


# ------------------------------------------------------------ identical, differs, could not tell


def test_a_build_is_identical_to_itself_and_its_repetition(checkout: Checkout) -> None:
    verdict = checkout.verify()
    assert (verdict.word, verdict.exit_code) == ("identical", 0)
    assert {f.state for f in verdict.findings} == {"identical"}
    assert len(verdict.findings) == 10
    shutil.rmtree(checkout / "results/petri")
    assert checkout.make().verify().exit_code == 0


def test_the_built_manifest_is_not_needed_and_not_believed(checkout: Checkout) -> None:
    (checkout / BUILT).unlink()
    assert checkout.verify().exit_code == 0
    write_table([], checkout / PETRI, SUMS)
    assert checkout.verify().exit_code == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda rows: [row | {"mean": 0.5} if row["metric"] == "score" else row for row in rows],
            "column mean",
        ),
        (
            lambda rows: [row | {"mean": None} if row["agent"] == "bob" else row for row in rows],
            "rows of bob",
        ),
        (lambda rows: rows[:-1], "columns agent, metric, mean (rows of bob)"),
        (lambda rows: rows[3:], "no rows of ann"),
        (lambda rows: [], "no rows of ann, bob"),
    ],
)
def test_changed_rows_differ_and_name_column_and_agent(
    checkout: Checkout, change: Callable[[Any], Any], said: str
) -> None:
    rows = pq.read_table(checkout / PETRI).to_pylist()
    write_table(change(rows), checkout / PETRI, SUMS)
    verdict = checkout.verify()
    assert verdict.exit_code == 1
    assert said in finding(verdict, PETRI).detail
    assert [f.path for f in verdict.findings if f.state != "identical"] == [PETRI]
    assert verdict.text().endswith("verdict: differs")
    assert f"differs  {PETRI}" in verdict.text()


def test_other_columns_differ(checkout: Checkout) -> None:
    wide = Schema("sums", 1, (*SUMS.columns, Column("n", "int64", "")), SUMS.key, "agent")
    rows = [row | {"n": 1} for row in pq.read_table(checkout / PETRI).to_pylist()]
    write_table(rows, checkout / PETRI, wide)
    assert finding(checkout.verify(), PETRI).columns == ("n",)
    pq.write_table(  # noqa: TID251
        pq.read_table(checkout / PETRI).drop_columns(["mean", "n"]), checkout / PETRI
    )
    assert finding(checkout.verify(), PETRI).columns == ("mean",)
    assert checkout.verify().exit_code == 1


def test_every_flipped_byte_of_a_table_is_seen(checkout: Checkout) -> None:
    path = checkout / "results/pilab/sums.parquet"
    data = path.read_bytes()
    draw = random.Random(5)
    decodable = 0
    frozen = read_manifest(checkout / FROZEN).files["results/pilab/sums.parquet"]
    for at in range(len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 1 << draw.randrange(8)
        path.write_bytes(damaged)
        found = verify_module.check(checkout.root, frozen)
        assert found.state == "differs", at
        assert found.path == "results/pilab/sums.parquet"
        assert found.columns or found.detail
        decodable += bool(found.columns)
    assert decodable > len(data) // 3


@pytest.mark.parametrize("name", ["agent", "metric", "mean"])
def test_a_damaged_column_is_named(checkout: Checkout, name: str) -> None:
    data = bytearray((checkout / PETRI).read_bytes())
    chunk = pq.read_metadata(checkout / PETRI).row_group(0).column(SUMS.names.index(name))
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    data[start + chunk.total_compressed_size - 1] ^= 1
    (checkout / PETRI).write_bytes(data)
    verdict = checkout.verify()
    assert finding(verdict, PETRI).columns == (name,)
    assert f"column {name}" in verdict.text()
    assert "rule tables" in verdict.text()


def test_every_flipped_byte_of_a_figure_is_seen(checkout: Checkout) -> None:
    path = checkout / "reports/petri/scores.svg"
    data = path.read_bytes()
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        assert checkout.states()["reports/petri/scores.svg"] == "differs"


@pytest.mark.parametrize("keep", [0, 1, 3, 4, 8, 100, -1, -4, -9, -200])
def test_truncated_tables_differ(checkout: Checkout, keep: int) -> None:
    data = (checkout / PETRI).read_bytes()
    (checkout / PETRI).write_bytes(data[:keep])
    verdict = checkout.verify()
    assert (finding(verdict, PETRI).state, verdict.exit_code) == ("differs", 1)
    assert "cannot be read" in finding(verdict, PETRI).detail


@pytest.mark.parametrize("name", [PETRI, "reports/pilab/scores.svg", "results/pilab/scores/ann.parquet"])
def test_missing_files_could_not_be_told(checkout: Checkout, name: str) -> None:
    (checkout / name).unlink()
    verdict = checkout.verify()
    assert (verdict.exit_code, verdict.word) == (2, "could not tell")
    assert finding(verdict, name).state == "missing"
    write_table([], checkout / "results/pilab/sums.parquet", SUMS)
    assert checkout.verify().exit_code == 1  # a difference is certain, whatever else is missing


def test_deleted_results_are_never_identical(checkout: Checkout) -> None:
    kept = (checkout / FROZEN).read_bytes()
    shutil.rmtree(checkout / "results")
    shutil.rmtree(checkout / "reports")
    (checkout / FROZEN).parent.mkdir()
    (checkout / FROZEN).write_bytes(kept)
    verdict = checkout.verify()
    assert verdict.exit_code == 2
    assert {f.state for f in verdict.findings} == {"missing"}


@pytest.mark.parametrize("text", [None, "", "{", '{"format": 1, "suites": [], "files": {}}', "\x00"])
def test_without_a_frozen_manifest_nothing_can_be_told(checkout: Checkout, text: str | None) -> None:
    (checkout / FROZEN).unlink()
    if text is not None:
        (checkout / FROZEN).write_text(text)
    verdict = checkout.verify()
    assert verdict.exit_code == 2
    assert verdict.text().endswith("verdict: could not tell")


def test_a_malformed_built_manifest_is_told(checkout: Checkout) -> None:
    (checkout / BUILT).write_text("{")
    verdict = checkout.verify()
    assert verdict.exit_code == 2
    assert BUILT in verdict.problems[0]


def test_a_folder_in_place_of_a_file_is_unreadable(checkout: Checkout) -> None:
    (checkout / PETRI).unlink()
    (checkout / PETRI).mkdir()
    assert finding(checkout.verify(), PETRI).state == "unreadable"
    assert checkout.verify().exit_code == 2


# ------------------------------------------------------------ suites and agents beyond the frozen ones


def test_a_suite_left_out_of_the_configuration_is_not_built(checkout: Checkout) -> None:
    shutil.rmtree(checkout / "results/pilab")
    checkout.edit(suites=["petri"]).make()
    verdict = checkout.verify()
    assert verdict.exit_code == 0
    assert {f.state for f in verdict.findings if f.suite == "pilab"} == {"not built"}
    (checkout / PETRI).unlink()
    assert checkout.verify().exit_code == 2


def test_a_suite_that_could_not_be_built_here_is_never_identical(checkout: Checkout) -> None:
    shutil.rmtree(checkout / "results/pilab")
    built = checkout.edit(suites=["petri"]).make() / BUILT
    write_manifest(built, replace(read_manifest(built), left_out={"pilab": "dice are not installed"}))
    verdict = checkout.verify()
    assert (verdict.word, verdict.exit_code) == ("could not tell", 2)
    assert verdict.problems == ("pilab: not built: dice are not installed",)


def test_a_configuration_may_have_a_frozen_manifest_of_its_own(checkout: Checkout) -> None:
    """A verdict says so, and freezing writes that one."""
    usual = (checkout / FROZEN).read_bytes()
    checkout.edit(shift=1.0).make()
    built = checkout / BUILT
    write_manifest(built, replace(read_manifest(built), frozen="config/small.MANIFEST"))
    assert "config/small.MANIFEST does not exist" in checkout.verify().problems[0]
    checkout.freeze()
    assert (checkout / FROZEN).read_bytes() == usual
    verdict = checkout.verify()
    assert (verdict.word, verdict.frozen) == ("identical", "config/small.MANIFEST")
    assert verdict.text().splitlines()[-2:] == ["held against config/small.MANIFEST", "verdict: identical"]
    built.unlink()
    assert checkout.verify().word == "differs"


def test_a_new_suite_is_not_frozen(checkout: Checkout) -> None:
    checkout.edit(suites=["petri", "pilab", "sgi"]).make()
    verdict = checkout.verify()
    assert verdict.exit_code == 0
    assert {f.state for f in verdict.findings if f.suite == "sgi"} == {"not frozen"}


def test_nothing_but_unfrozen_files_could_not_be_told(checkout: Checkout) -> None:
    checkout.edit(suites=["sgi"]).make()
    assert checkout.verify().exit_code == 2


AGGREGATES = ("reports/petri/scores.svg", "results/petri/ranks.parquet")


@pytest.mark.parametrize(
    "agents", [["ann", "bob", "zoe"], ["aaa", "ann", "bob"], ["ann", "ayn", "bob", "cy"]]
)
def test_a_new_agent_does_not_break_what_is_frozen(checkout: Checkout, agents: list[str]) -> None:
    new = [agent for agent in agents if agent not in ("ann", "bob")]
    verdict = checkout.edit(agents=agents).make().verify()
    assert (verdict.word, verdict.exit_code) == ("identical where comparable", 3)
    assert verdict.text().endswith("verdict: identical where comparable; 4 files not compared")
    assert (verdict.added, verdict.not_compared) == (sorted(new), 4)
    assert finding(verdict, PETRI).state == "identical for frozen agents"
    assert finding(verdict, PETRI).agents == tuple(new)
    for name in AGGREGATES:
        assert finding(verdict, name).state == "not compared"
        assert f"not compared  {name}: shows {', '.join(new)}" in verdict.text()
    assert finding(verdict, "results/petri/scores/ann.parquet").state == "identical"
    assert finding(verdict, f"results/petri/scores/{new[0]}.parquet").state == "not frozen"


@pytest.fixture
def beside(checkout: Checkout) -> Checkout:
    """A build with an added agent that also made its aggregates over the frozen agents alone."""
    return checkout.edit(agents=["ann", "bob", "zoe"], frozen=["ann", "bob"]).make()


def test_aggregates_over_the_frozen_agents_are_compared_in_place_of_those_with_others(
    beside: Checkout,
) -> None:
    verdict = beside.verify()
    assert (verdict.sentence, verdict.exit_code) == ("identical", 0)
    for name in AGGREGATES:
        assert finding(verdict, name).state == "identical for frozen agents"
        assert finding(verdict, name).agents == ("zoe",)
    # Two tables with a partition, two without one, two figures. The second files are not listed themselves.
    assert "6 files that show added agents (zoe): compared for frozen agents" in verdict.text()
    assert not any(path.startswith(FROZEN_VIEW) for path in beside.states())


@pytest.mark.parametrize("name", AGGREGATES)
def test_a_changed_aggregate_is_named_whatever_agents_were_added(beside: Checkout, name: str) -> None:
    second = FROZEN_VIEW + name
    if name.endswith(".svg"):
        (beside / second).write_text("<svg>another figure</svg>")
    else:
        write_table([{"metric": m, "best": "eve"} for m in METRICS], beside / second, RANKS)
    write_manifest(beside / BUILT, build_manifest(beside.root, beside.outputs(), ["petri", "pilab"]))
    verdict = beside.verify()
    assert (verdict.word, verdict.exit_code) == ("differs", 1)
    assert finding(verdict, name).state == "differs"
    assert "over the frozen agents" in finding(verdict, name).detail
    assert [f.path for f in verdict.findings if f.state == "differs"] == [name]


@pytest.mark.parametrize("name", [*AGGREGATES, *(FROZEN_VIEW + name for name in AGGREGATES)])
def test_no_damage_is_hidden_by_the_second_file(beside: Checkout, name: str) -> None:
    data = (beside / name).read_bytes()
    for at in range(0, len(data), 97):
        (beside / name).write_bytes(data[:at] + bytes([data[at] ^ 2]) + data[at + 1 :])
        verdict = beside.verify()
        path = name.removeprefix(FROZEN_VIEW)
        assert (finding(verdict, path).state, verdict.exit_code) == ("differs", 1), at


@pytest.mark.parametrize("name", AGGREGATES)
def test_a_missing_second_file_could_not_be_told(beside: Checkout, name: str) -> None:
    (beside / (FROZEN_VIEW + name)).unlink()
    verdict = beside.verify()
    assert (finding(verdict, name).state, verdict.exit_code) == ("missing", 2)


def test_a_build_with_added_agents_is_not_frozen(beside: Checkout) -> None:
    built = read_manifest(beside / BUILT)
    write_manifest(beside / BUILT, replace(built, added={"petri": ("zoe",)}))
    assert read_manifest(beside / BUILT).added == {"petri": ("zoe",)}
    before = (beside / FROZEN).read_bytes()
    with pytest.raises(NotBuilt, match="does not list zoe") as refused:
        freeze(beside.root)
    assert "freezing=true" in refused.value.remedy
    assert (beside / FROZEN).read_bytes() == before


def test_a_second_agent_beside_a_single_frozen_one(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path, agents=["ann"]).make().freeze()
    verdict = checkout.edit(agents=["ann", "bob"]).make().verify()
    assert verdict.exit_code == 3
    assert finding(verdict, PETRI).agents == ("bob",)


def test_a_new_agent_hides_no_change_of_a_frozen_one(checkout: Checkout) -> None:
    checkout.edit(agents=["ann", "bob", "zoe"], shift=1.0).make()
    verdict = checkout.verify()
    assert verdict.exit_code == 1
    assert finding(verdict, PETRI).columns == ("mean",)
    assert finding(verdict, PETRI).agents == ("ann", "bob")


@pytest.mark.parametrize(
    "name",
    [
        PETRI,
        "reports/petri/scores.svg",
        "results/petri/ranks.parquet",
        "results/petri/scores/zoe.parquet",
        "results/petri/scores/ann.parquet",
    ],
)
def test_a_new_agent_excuses_no_damage(checkout: Checkout, name: str) -> None:
    checkout.edit(agents=["ann", "bob", "zoe"]).make()
    data = (checkout / name).read_bytes()
    for at in range(0, len(data), 97):
        (checkout / name).write_bytes(data[:at] + bytes([data[at] ^ 2]) + data[at + 1 :])
        verdict = checkout.verify()
        assert (finding(verdict, name).state, verdict.exit_code) == ("differs", 1), at


def test_rows_of_an_unlisted_agent_differ(checkout: Checkout) -> None:
    rows = pq.read_table(checkout / PETRI).to_pylist()
    write_table([*rows, {"agent": "eve", "metric": "score", "mean": 9.0}], checkout / PETRI, SUMS)
    assert checkout.verify().exit_code == 1


def test_a_frozen_agent_left_out_could_not_be_told(checkout: Checkout) -> None:
    for suite in ("petri", "pilab"):
        (checkout / f"results/{suite}/scores/bob.parquet").unlink()
    verdict = checkout.edit(agents=["ann"]).make().verify()
    assert verdict.exit_code == 2
    assert finding(verdict, PETRI).detail == "made without bob"
    assert finding(verdict, "reports/petri/scores.svg").detail == "made without bob"


# ------------------------------------------------------------ other writers of Parquet


def rewrite(path: Path, **options: Any) -> None:
    pq.write_table(pq.read_table(path), path, **options)  # noqa: TID251


def test_equal_content_of_the_same_writer_in_other_bytes_differs(checkout: Checkout) -> None:
    """The bytes of one writer are promised, so only a damaged or a foreign file can differ in them."""
    rewrite(checkout / PETRI)
    found = finding(checkout.verify(), PETRI)
    assert (found.state, found.columns) == ("differs", ())
    assert "same writer" in found.detail


def test_equal_content_of_another_installed_writer_is_identical_in_content(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a new pyarrow changes: its name in the footer, here by exchanging digits of the same length."""
    assert pq.read_metadata(checkout / PETRI).created_by == INSTALLED_WRITER
    other = INSTALLED_WRITER.replace(pa.cpp_version, "9" * len(pa.cpp_version))
    data = (checkout / PETRI).read_bytes()
    (checkout / PETRI).write_bytes(data.replace(INSTALLED_WRITER.encode(), other.encode()))
    assert finding(checkout.verify(), PETRI).state == "differs"
    write_manifest(checkout / BUILT, build_manifest(checkout.root, checkout.outputs(), ["petri", "pilab"]))
    assert "neither frozen" in finding(checkout.verify(), PETRI).detail
    monkeypatch.setattr(verify_module, "INSTALLED_WRITER", other)
    verdict = checkout.verify()
    assert (finding(verdict, PETRI).state, verdict.exit_code) == ("identical in content", 0)
    assert other in verdict.text()


# ------------------------------------------------------------ the command


def run(checkout: Checkout, *words: str) -> int:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return main(parser.parse_args(["--root", str(checkout.root), *words]))


def test_the_command_prints_the_verdict_last(checkout: Checkout, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(checkout) == 0
    said = capsys.readouterr().out.splitlines()
    assert said == ["petri  5 identical", "pilab  5 identical", "verdict: identical"]
    (checkout / PETRI).unlink()
    assert run(checkout, "--json") == 2
    value = json.loads(capsys.readouterr().out)
    assert value["verdict"] == "could not tell"
    assert {f["path"] for f in value["files"] if f["state"] == "missing"} == {PETRI}


def test_progress_reaches_the_sum(checkout: Checkout) -> None:
    told: list[tuple[int, int]] = []
    verify(checkout.root, progress=lambda done, total: told.append((done, total)))
    assert told[-1][0] == told[-1][1] > 0
    assert [done for done, _ in told] == sorted(done for done, _ in told)


# ------------------------------------------------------------ explain and repair


def builder(checkout: Path, targets: Sequence[str], store: bool) -> Build:
    """Stands for Snakemake: makes the targets that do not exist, from the source of that checkout."""
    fake = Checkout(checkout)
    missing = [target for target in targets if not (checkout / target).exists() and target != "all"]
    fake.make(missing)
    if "all" in targets:
        write_manifest(checkout / BUILT, build_manifest(checkout, fake.outputs(), ["petri", "pilab"]))
    return Build(0, "made\n")


def damage(path: Path, value: float) -> None:
    rows = pq.read_table(path).to_pylist()
    rows[1]["mean"] = value
    write_table(rows, path, SUMS)


def test_explain_names_row_column_values_and_the_damaged_side(checkout: Checkout) -> None:
    damage(checkout / PETRI, 0.25)
    said = explain(checkout.root, PETRI, builder)
    assert said.exit_code == 1
    assert said.text() == (
        f"{PETRI} (rule tables)\n"
        "  on disk against made again: column mean: 1 row differs, first (agent=ann, metric=solved):"
        " 0.25 against 14.2857142857\n"
        "  made again it is what was frozen: the file on disk was damaged or edited\n"
        f"remedy: assay verify --repair {PETRI}"
    )
    assert json.loads(said.json())["comparison"]["differences"][0]["column"] == "mean"


def test_explain_names_a_source_that_no_longer_makes_it(checkout: Checkout) -> None:
    checkout.edit(shift=1.0)
    said = explain(checkout.root, PETRI, builder)
    assert said.exit_code == 1
    assert "the file on disk is what was frozen, but its rule no longer makes it" in said.finding
    checkout.make()
    said = explain(checkout.root, PETRI, builder)
    assert "made again it is the same: its rule no longer makes what was frozen" in said.finding
    damage(checkout / PETRI, 0.25)
    said = explain(checkout.root, PETRI, builder)
    assert "neither" in said.finding


def test_explain_of_an_identical_file_says_so(checkout: Checkout) -> None:
    said = explain(checkout.root, PETRI, builder)
    assert said.exit_code == 0
    assert "made again it is the same, and what was frozen" in said.text()


def test_explain_reads_what_it_can_of_a_damaged_file(checkout: Checkout) -> None:
    data = bytearray((checkout / PETRI).read_bytes())
    chunk = pq.read_metadata(checkout / PETRI).row_group(0).column(2)
    data[chunk.dictionary_page_offset + chunk.total_compressed_size - 1] ^= 1
    (checkout / PETRI).write_bytes(data)
    said = explain(checkout.root, PETRI, builder).text()
    assert "column mean cannot be read" in said
    assert "the file on disk was damaged" in said
    (checkout / PETRI).write_bytes(data[:50])
    assert "cannot be read as Parquet" in explain(checkout.root, PETRI, builder).text()


def test_explain_of_a_figure_names_the_line(checkout: Checkout) -> None:
    (checkout / "reports/petri/scores.svg").write_text("<svg>\n<!-- ann -->\n</svg>\n")
    said = explain(checkout.root, "reports/petri/scores.svg", builder).text()
    assert 'line 2: "<!-- ann -->" against "<!-- ann bob 0.0 -->"' in said
    assert "(rule figures)" in said


def test_explain_leaves_the_checkout_alone_and_uses_no_store(checkout: Checkout) -> None:
    damage(checkout / PETRI, 0.25)
    before = {path: path.read_bytes() for path in checkout.root.rglob("*") if path.is_file()}
    seen = []

    def watching(copy: Path, targets: Sequence[str], store: bool) -> Build:
        seen.append((list(targets), store, (copy / "results/petri").exists(), copy != checkout.root))
        return builder(copy, targets, store)

    explain(checkout.root, str(checkout / PETRI), watching)
    assert seen == [([PETRI], False, False, True)]
    assert {path: path.read_bytes() for path in checkout.root.rglob("*") if path.is_file()} == before


def test_explain_copies_what_git_knows(checkout: Checkout) -> None:
    for words in (["init", "-q"], ["add", "source.json"]):
        subprocess.run(["git", "-C", str(checkout.root), *words], check=True)
    (checkout / ".gitignore").write_text("results/*\nreports/\nsecret\n")
    (checkout / "secret").write_text("s")
    (checkout / "new.py").write_text("n")
    seen: list[set[str]] = []

    def watching(copy: Path, targets: Sequence[str], store: bool) -> Build:
        seen.append({str(path.relative_to(copy)) for path in copy.rglob("*") if path.is_file()})
        return builder(copy, targets, store)

    explain(checkout.root, PETRI, watching)
    assert seen == [{".gitignore", "new.py", "source.json"}]


def test_explain_of_what_cannot_be_made_or_is_not_listed(checkout: Checkout) -> None:
    with pytest.raises(UnknownName, match="in no manifest"):
        explain(checkout.root, "results/petri/shards/0.parquet", builder)
    with pytest.raises(NotBuilt, match="exit code 3") as caught:
        explain(checkout.root, PETRI, lambda *_: Build(3, "line\n" * 99 + "the reason"))
    assert "the reason" in caught.value.message
    assert caught.value.exit_code == 2
    (checkout / PETRI).unlink()
    assert explain(checkout.root, PETRI, builder).finding == "the file is missing"


def test_repair_makes_what_differs_or_is_missing(checkout: Checkout) -> None:
    damage(checkout / PETRI, 0.25)
    (checkout / "reports/pilab/scores.svg").unlink()
    intact = (checkout / "results/pilab/sums.parquet").stat().st_mtime_ns
    assert repair(checkout.root, [], builder) == [PETRI, "reports/pilab/scores.svg"]
    assert checkout.verify().exit_code == 0
    assert (checkout / "results/pilab/sums.parquet").stat().st_mtime_ns == intact
    assert repair(checkout.root, [], builder) == []


def test_repair_deletes_nothing_that_no_manifest_lists(checkout: Checkout) -> None:
    with pytest.raises(UnknownName, match="nothing was deleted"):
        repair(checkout.root, [PETRI, "source.json"], builder)
    assert checkout.verify().exit_code == 0
    with pytest.raises(UnknownName):
        repair(checkout.root, [FROZEN], builder)


def test_a_damaged_file_beside_the_manifest_is_named_and_removed(checkout: Checkout) -> None:
    shard, record = "results/petri/shards/0.parquet", f"{RECORDS}/results/petri/shards/0.parquet.json"
    (checkout / record).parent.mkdir(parents=True)
    (checkout / shard).parent.mkdir()
    (checkout / shard).write_bytes(b"rows")
    noted = {shard: [hashlib.sha256(b"rows").hexdigest(), 4]}
    (checkout / record).write_text(sealed({"outputs": noted}))
    assert checkout.verify().exit_code == 0
    (checkout / shard).write_bytes(b"rowz")
    verdict = checkout.verify()
    assert verdict.exit_code == 1
    (found,) = [finding for finding in verdict.findings if finding.state != "identical"]
    assert (found.path, found.detail) == (shard, "has other bytes than its job wrote")
    asked: list[Sequence[str]] = []

    def build(root: Path, targets: Sequence[str], store: bool) -> Build:
        asked.append(targets)
        return Build(0, "")

    assert repair(checkout.root, [], build) == [shard]
    assert asked == [["all"]]  # no manifest says that it belongs to this configuration
    assert not (checkout / shard).exists()
    assert checkout.verify().exit_code == 0


def test_a_repair_that_fails_says_why(checkout: Checkout) -> None:
    with pytest.raises(NotBuilt, match="the reason"):
        repair(checkout.root, [PETRI], lambda *_: Build(1, "the reason"))


def test_the_real_builder_runs_the_workflow_of_that_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through a stand-in for the interpreter that writes down how it was called."""
    interpreter = tmp_path / "python"
    interpreter.write_text('#!/bin/sh\necho "$PWD|$ASSAY_STORE|$PYTHONPATH|$*"\nexit 4\n')
    interpreter.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(interpreter))
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    build = snakemake("3", [str(tmp_path / "c.yaml")])
    tail = f"{tmp_path}/src|-m snakemake --configfile {tmp_path}/c.yaml --cores 3 -- x all\n"
    assert build(tmp_path, ["x", "all"], False) == Build(4, f"{tmp_path}|off|{tail}")
    assert build(tmp_path, ["x", "all"], True) == Build(4, f"{tmp_path}||{tail}")


# ------------------------------------------------------------ sets that are read from files of the user


SETS = Schema(
    "sets",
    1,
    (Column("agent", "string", ""), Column("task_set", "string", ""), Column("mean", "float64", "")),
    key=("agent", "task_set"),
    partition="agent",
)


def test_rows_of_released_sets_are_left_out_of_the_comparison(tmp_path: Path) -> None:
    def make(rows: list[tuple[str, str, float]], figure: str, released: dict[str, str]) -> None:
        values = [{"agent": a, "task_set": s, "mean": m} for a, s, m in rows]
        write_table(values, tmp_path / "results/petri/sets.parquet", SETS)
        (tmp_path / "reports/scores.svg").write_text(figure)
        outputs = [
            Output("results/petri/sets.parquet", "table", "petri", "merge_scores", ("ann",), "agent"),
            Output("reports/scores.svg", "figure", "petri", "figures", ("ann",)),
        ]
        built = build_manifest(tmp_path, outputs, ["petri"])
        write_manifest(tmp_path / BUILT, replace(built, released=released))

    for folder in ("results/petri", "reports"):
        (tmp_path / folder).mkdir(parents=True)
    public = [("ann", "core-v0", 1.0), ("ann", "l2-v0", 2.0)]
    make(public, "<svg/>", {})
    freeze(tmp_path)
    released = {"petri/l1-mine": "0" * 64}
    make([public[0], ("ann", "l1-mine", 5.0), public[1]], "<svg> </svg>", released)
    verdict = verify(tmp_path)
    assert [f.state for f in verdict.findings] == ["not compared", "identical for frozen sets"]
    assert (verdict.word, verdict.exit_code) == ("identical where comparable", 3)
    assert read_manifest(tmp_path / BUILT).released == released
    with pytest.raises(NotBuilt, match="petri/l1-mine are read from files of this machine"):
        freeze(tmp_path)
    # A changed row of another set is still found, and so is a file that was changed after the build.
    make([public[0], ("ann", "l1-mine", 5.0), ("ann", "l2-v0", 2.5)], "<svg/>", released)
    assert [f.state for f in verify(tmp_path).findings] == ["identical", "differs"]
    make([public[0], ("ann", "l1-mine", 5.0), public[1]], "<svg> </svg>", released)
    (tmp_path / "reports/scores.svg").write_text("<svg>  </svg>")
    assert verify(tmp_path).word == "differs"
