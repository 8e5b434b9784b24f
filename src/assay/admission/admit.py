"""Admission of a bundle: checks in a fixed order, then one step that counts; the first failure ends it.

What is checked and what cannot be known is described in docs/hosting.md.
"""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from assay import canonical
from assay.admission import rungs, statements
from assay.admission.archive import Refusal
from assay.admission.bundle import Bundle, entry_facts, open_bundle, set_facts, tasks_of
from assay.admission.ledger import Ledger, Line, locked
from assay.admission.similarity import Traits, alike, copied, implausible, repeated
from assay.agents.model import SCAFFOLD_SHA256
from assay.config.agents import ModelEntry
from assay.config.loading import load
from assay.config.models import Config
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.errors import AssayError, ConfigError
from assay.sessions.assessment import assess
from assay.sessions.recording import PASSING, Difference, Identity, Recording, find, parse
from assay.sessions.rerun import judged
from assay.sessions.taskfiles import find_task
from assay.writing import write_whole

BUNDLES, ENTRIES = "bundles", "entries"
"""Folders of the ledger: admitted bundles by their root, and the entries of admitted agents."""


@dataclass(frozen=True)
class Reason:
    """A reason of a verdict: a code for programs, a place, and words for people."""

    code: str
    place: str
    words: str


@dataclass
class Verdict:
    """The verdict on a bundle.

    Attributes:
        verdict: `admitted`, `admitted with notes` or `refused`.
        code: The code of the first reason; empty without one.
        reasons: Why it was refused, or the notes.
        episodes: The number of episodes that were executed again.
        rungs: The rungs of the assurance ladder.
        root: The root of the bundle; empty if it could not be read.
    """

    verdict: str
    reasons: list[Reason] = field(default_factory=list)
    episodes: int = 0
    rungs: list[str] = field(default_factory=list)
    root: str = ""
    scores: dict[str, float] = field(default_factory=dict)

    @property
    def code(self) -> str:
        return self.reasons[0].code if self.reasons else ""

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as a JSON object."""
        return {
            "verdict": self.verdict,
            "code": self.code,
            "reasons": [vars(reason) for reason in self.reasons],
            "episodes": self.episodes,
            "rungs": self.rungs,
            "root": self.root,
            "scores": self.scores,
        }


Progress = Callable[[int, int], None]


def admit(
    file: Path,
    folder: Path,
    config_path: Path,
    *,
    date: str,
    by: str = "host",
    workers: int | None = None,
    progress: Progress = lambda done, of: None,
) -> Verdict:
    """Check a bundle, execute all its recordings again, and admit it where all is well.

    Args:
        file: The bundle.
        folder: The folder of the ledger.
        config_path: The configuration of the project.
        date: The date of the decision, YYYY-MM-DD.
        by: Who decides, for the ledger.
        workers: The number of processes; by default, the number of cores.
        progress: Called with the number of executed recordings and the number of all.

    Returns:
        The verdict. If it is `refused`, ledger and tree are as they were.

    Raises:
        AssayError: If it could not be decided: the file cannot be read, the ledger is damaged, and so on.
    """
    if not file.is_file():
        raise ConfigError(f"there is no file {file}", "name a bundle that `assay submit` wrote")
    config = load(config_path)
    with locked(folder) as ledger:
        ledger.check_date(date)
        _tidy(ledger, config)
        config = load(config_path)  # without the entries that were removed just now
        verdict = Verdict("refused")
        try:
            bundle = open_bundle(file)
            verdict.root = bundle.head.root
            notes = _check(bundle, ledger, config)
            with tempfile.TemporaryDirectory(prefix=".staging-", dir=folder) as staging:
                recordings = Path(staging) / "recordings"
                for identity, data in bundle.recordings.items():
                    write_whole(identity.path(recordings), data)
                scores = _execute(bundle, recordings, config_path, workers, progress)
                verdict.scores = scores
                verdict.episodes = len(bundle.recordings)
                notes += _compare(bundle, config)
                facts = _facts(bundle, ledger, scores, notes)
                verdict.rungs = facts["rungs"]
                _commit(bundle, file, ledger, config, recordings / bundle.head.agent, facts, date, by)
        except Refusal as refusal:
            verdict.reasons = [Reason(refusal.code, refusal.place, refusal.words)]
            return verdict
    verdict.verdict = "admitted with notes" if notes else "admitted"
    verdict.reasons = notes
    return verdict


# ------------------------------------------------------------ checks that execute nothing


def _check(bundle: Bundle, ledger: Ledger, config: Config) -> list[Reason]:
    """Check signature, sets, entry, name, announcement and completeness; return the notes."""
    notes: list[Reason] = []
    key = statements.signer(bundle, ledger)
    _check_entry(bundle)
    _check_sets(bundle, config)
    _check_name(bundle, ledger, config, key)
    _check_announcement(bundle, ledger)
    notes += _check_complete(bundle, config)
    return notes


def _check_entry(bundle: Bundle) -> None:
    head = bundle.head
    try:
        entry = ModelEntry.model_validate(head.entry)
    except ValidationError as problem:
        place = ".".join(map(str, problem.errors()[0]["loc"]))
        raise Refusal(
            "entry", f"bundle.json: entry.{place}", problem.errors()[0]["msg"], "correct the agent's entry"
        ) from problem
    if entry_facts(entry) != head.entry or entry.attempts != head.attempts:
        raise Refusal(
            "entry", "bundle.json: entry", "it is not in the form of `assay submit`", "submit again"
        )


def _check_sets(bundle: Bundle, config: Config) -> None:
    for name, facts in sorted(bundle.head.sets.items()):
        suite, _, task_set = name.partition("/")
        if suite not in config.suites or task_set not in config.suites[suite].file.sets:
            raise Refusal("set", name, "this leaderboard has no such set", "submit results of its sets")
        if set_facts(tasks_of(config.suites[suite], task_set)) != facts:
            raise Refusal(
                "set", name, "its tasks are not those of this leaderboard", "record the present set"
            )


def _check_name(bundle: Bundle, ledger: Ledger, config: Config, key: str | None) -> None:
    agent = bundle.head.agent
    admitted = [line for line in ledger.admitted if line.facts["agent"] == agent]
    if not admitted and (agent in config.agents or agent in config.judges):
        raise Refusal("name", agent, "the name belongs to an agent of this leaderboard", "take another name")
    others = {line.facts["key"] for line in ledger.of("admit") if line.facts["agent"] == agent}
    if others and others != {key}:
        raise Refusal(
            "name", agent, "the name belongs to another submitter", "take another name, or sign as before"
        )
    if admitted:
        raise Refusal(
            "name",
            agent,
            f"line {admitted[-1].n} of the ledger admits it already",
            "let the host remove that admission first, or take another name",
        )


def _check_announcement(bundle: Bundle, ledger: Ledger) -> None:
    announced = [line for line in ledger.of("announce") if line.facts["agent"] == bundle.head.agent]
    if not announced:
        return
    said = announced[0].facts
    for name, value in (
        ("entry_sha256", bundle.entry_sha256),
        ("sets", sorted(bundle.head.sets)),
        ("attempts", bundle.head.attempts),
    ):
        if said[name] != value:
            raise Refusal(
                "announcement",
                f"line {announced[0].n} of the ledger",
                f"{name.removesuffix('_sha256')} is not what was announced",
                "submit what was announced: every attempt counts",
            )


def _check_complete(bundle: Bundle, config: Config) -> list[Reason]:
    """Check that every session is there or listed as missing, and nothing beyond them."""
    head = bundle.head
    missing = {(m.task_set, m.task_id, m.attempt): m.reason for m in head.missing}
    due = set()
    for name in head.sets:
        suite, _, task_set = name.partition("/")
        for task in tasks_of(config.suites[suite], task_set):
            for attempt in range(head.attempts):
                due.add((name, task.task_id, attempt))
    here = {(f"{i.suite}/{i.task_set}", i.task_id, i.attempt) for i in bundle.recordings}
    for identity, data in bundle.recordings.items():
        if (reason := _broken(data)) is not None:
            raise Refusal(
                "complete", f"recordings: {identity.name}", reason, "list it as missing: it counts as zero"
            )
    for place, sessions, words in (
        ("recordings", here - due, "it is no session of these sets and attempts"),
        ("bundle.json: missing", missing.keys() - due, "it is no session of these sets and attempts"),
        ("bundle.json: missing", missing.keys() & here, "it is listed as missing, and there"),
        ("recordings", due - here - missing.keys(), "it is neither there nor listed as missing"),
    ):
        if sessions:
            task_set, task_id, attempt = min(sessions)
            where = f"{place}: {task_set}/{task_id} attempt {attempt}"
            raise Refusal("complete", where, words, "submit every session, or list it as missing")
    if not missing:
        return []
    return [Reason("missing", "", f"{len(missing)} of {len(due)} sessions are missing, and count as zero")]


def _broken(data: bytes) -> str | None:
    """Return why a recording is no whole session. Such a session has no score, so it must count as zero."""
    try:
        end = parse(data).end
    except Difference:
        return None  # its execution names the place
    if end is None:
        return "the session is not finished"
    return f"the session broke off ({end['status']})" if end["status"] in PASSING else None


# ------------------------------------------------------------ execution


def _execute(
    bundle: Bundle, recordings: Path, config_path: Path, workers: int | None, progress: Progress
) -> dict[str, float]:
    """Execute every recording again; return the mean score of each set, where a missing session counts 0."""
    identities = sorted(bundle.recordings, key=lambda i: (i.suite, i.task_set, i.task_id, i.attempt))
    scores: dict[str, list[float]] = {name: [] for name in sorted(bundle.head.sets)}
    jobs = [(str(config_path), str(identity.path(recordings))) for identity in identities]
    for done, (identity, (reason, score)) in enumerate(zip(identities, _all(jobs, workers), strict=True), 1):
        if reason is not None:
            raise Refusal(
                "replay", f"recordings: {identity.name}", reason, "record it anew; nothing may be edited"
            )
        if score is not None:
            scores[f"{identity.suite}/{identity.task_set}"].append(score)
        progress(done, len(identities))
    sessions = {name: facts.tasks * bundle.head.attempts for name, facts in bundle.head.sets.items()}
    return {name: math.fsum(values) / sessions[name] for name, values in scores.items()}


def _all(jobs: list[tuple[str, str]], workers: int | None) -> Iterator[tuple[str | None, float | None]]:
    """Yield the result of `_again` for each job, in order; several processes work on them."""
    if workers == 1:
        yield from map(_again, jobs)
        return
    with ProcessPoolExecutor(workers or os.cpu_count(), mp_context=get_context("forkserver")) as pool:
        try:
            yield from pool.map(_again, jobs, chunksize=4)
        finally:
            pool.shutdown(cancel_futures=True)


def _again(job: tuple[str, str]) -> tuple[str | None, float | None]:
    """Execute one recording; return why it is refused, or its score."""
    config_path, path = Path(job[0]), Path(job[1])
    identity = Identity.of(path)
    config = _loaded(config_path).suites[identity.suite]
    blobs = MemoryBlobs()
    try:
        task = find_task(config, f"{identity.task_set}/{identity.task_id}", blobs)
        materials = materials_for(config.suite, blobs)
        report, episode = judged(config.suite, task, path, materials)
        if report["verdict"] != "identical":
            return report["reason"] or report["verdict"], None
        return None, assess(config.suite, task, episode, materials).score
    except AssayError as problem:
        return problem.message, None


@cache
def _loaded(config_path: Path) -> Config:
    """Return the configuration; a worker process reads it once."""
    return load(config_path)


# ------------------------------------------------------------ across recordings


def _compare(bundle: Bundle, config: Config) -> list[Reason]:
    """Compare the sessions with each other and with all admitted ones; return the notes."""
    parsed = {identity: parse(data) for identity, data in bundle.recordings.items()}
    limits = ModelEntry.model_validate(bundle.head.entry).limits
    for identity, recording in parsed.items():
        if (words := implausible(recording, limits.tokens)) is not None:
            raise Refusal("tokens", identity.name, words, "submit the counts of the provider, unchanged")
    ours = {identity: Traits.of(recording) for identity, recording in parsed.items()}
    others = dict(_others(bundle, config))
    for identity, agent in copied(ours, others):
        raise Refusal(
            "copied", identity.name, f"its replies are those of {agent}", "submit sessions of your own"
        )
    notes = [
        Reason("same-calls", agent, f"{count} sessions make the same calls as {agent}")
        for agent, count in alike(ours, others).items()
    ]
    equal, several = repeated(ours)
    if equal and (bundle.card.deterministic or 2 * equal <= several):
        notes.append(Reason("equal-attempts", "", f"{equal} of {several} tasks have equal attempts"))
    elif equal:
        raise Refusal(
            "equal-attempts",
            "",
            f"{equal} of {several} tasks have equal attempts",
            "play every attempt; an agent whose replies never vary says `deterministic: true` on its card",
        )
    return [*notes, *_scaffolds(bundle, parsed)]


def _others(bundle: Bundle, config: Config) -> Iterator[tuple[Identity, Traits]]:
    sets = {tuple(name.split("/")) for name in bundle.head.sets}
    for identity, path in find(config.project.recordings, "*"):
        if identity.agent != bundle.head.agent and (identity.suite, identity.task_set) in sets:
            try:
                yield identity, Traits.of(parse(path.read_bytes()))
            except Difference:
                continue  # a damaged recording of somebody else is named by the build


def _scaffolds(bundle: Bundle, parsed: Mapping[Identity, Recording]) -> Iterator[Reason]:
    used = Counter(r.header["scaffold_sha256"] for r in parsed.values() if r.header is not None)
    if used.keys() - {SCAFFOLD_SHA256} and bundle.card.harness in ("unknown", "assay"):
        yield Reason("harness", "", "it was played by a harness of its own, which the card does not describe")
    elif used.keys() - {SCAFFOLD_SHA256}:
        yield Reason("harness", "", f"own harness: {bundle.card.harness}")


# ------------------------------------------------------------ the step that counts


def _facts(
    bundle: Bundle, ledger: Ledger, scores: Mapping[str, float], notes: list[Reason]
) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "agent": bundle.head.agent,
        "entry_sha256": bundle.entry_sha256,
        "sets": sorted(bundle.head.sets),
        "attempts": bundle.head.attempts,
        "episodes": len(bundle.recordings),
        "missing": len(bundle.head.missing),
        "notes": [note.code for note in notes],
        "key": statements.signer(bundle, ledger),
        "scores": {name: round(score, 6) for name, score in scores.items()},
    }
    return {**facts, "rungs": rungs.at_admission(ledger, facts)}


def _commit(
    bundle: Bundle,
    file: Path,
    ledger: Ledger,
    config: Config,
    recordings: Path,
    facts: Mapping[str, Any],
    date: str,
    by: str,
) -> None:
    """Put the recordings, the entry and the bundle in place, and add the line last: only the line counts."""
    changed = ledger
    if bundle.statement is not None and ledger.key(facts["key"]) is None:
        signed = statements.opened(bundle.statement)
        key = {"key": signed.key, "public": signed.public, "role": "submitter"}
        changed = changed.added(
            "key", date=date, subject=bundle.head.agent, by=by, reason="first use", facts=key
        )
    changed = changed.added(
        "admit", date=date, subject=bundle.head.root, by=by, reason=bundle.card.name, facts=facts
    )
    target = config.project.recordings / bundle.head.agent
    if target.exists():
        raise ConfigError(f"{target} exists, and no line of the ledger admits it", "move it aside")
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(ledger.folder / BUNDLES / f"{bundle.head.root}.assay.tar.zst", file.read_bytes())
    write_whole(ledger.folder / ENTRIES / f"{bundle.head.agent}.json", entry_text(bundle))
    if recordings.is_dir():
        shutil.move(recordings, target)
    changed.write()


def entry_text(bundle: Bundle) -> str:
    """Return the text of the file of an admitted agent: its entry for the admitted sets, and what is missing.

    The configuration reads it (`assay.config.models.Admitted`).
    """
    suites: dict[str, list[str]] = {}
    for name in sorted(bundle.head.sets):
        suite, _, task_set = name.partition("/")
        suites.setdefault(suite, []).append(task_set)
    absent = [
        {"task_set": each.task_set, "task_id": each.task_id, "attempt": each.attempt}
        for each in bundle.head.missing
    ]
    entry = {**bundle.head.entry, "suites": suites}
    value = {"agent": bundle.head.agent, "root": bundle.head.root, "entry": entry, "missing": absent}
    return canonical.dumps(value) + "\n"


def _tidy(ledger: Ledger, config: Config) -> None:
    """Remove what a killed admission has left: files of agents that no line admits, and staging folders."""
    roots = {line.subject for line in ledger.of("admit")}
    present = {line.facts["agent"]: line for line in ledger.admitted}
    for path in (ledger.folder / BUNDLES).glob("*.assay.tar.zst"):
        if path.name.partition(".")[0] not in roots:
            path.unlink()
    for path in (ledger.folder / ENTRIES).glob("*.json"):
        if path.stem not in present:
            shutil.rmtree(config.project.recordings / path.stem, ignore_errors=True)
            path.unlink()
    for staging in ledger.folder.glob(".staging-*"):
        shutil.rmtree(staging, ignore_errors=True)


def remove(folder: Path, config: Config, number: int, *, date: str, by: str, reason: str) -> Line:
    """Remove an admission: its recordings and entry go, its line and its bundle stay.

    Raises:
        ConfigError: If the line is no present admission.
    """
    with locked(folder) as ledger:
        _tidy(ledger, config)
        line = next((line for line in ledger.admitted if line.n == number), None)
        if line is None:
            lines = ", ".join(str(each.n) for each in ledger.admitted) or "none"
            raise ConfigError(
                f"line {number} is no present admission", f"present admissions are lines {lines}"
            )
        changed = ledger.added(
            "remove", date=date, subject=line.subject, by=by, reason=reason, facts={"line": number}
        )
        changed.write()
        _tidy(changed, config)
        return changed.lines[-1]
