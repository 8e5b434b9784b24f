"""The world of an episode: a workspace with a brief and a template, tools, and a ledger of their calls.

A run folder lies in the workspace of the harness: `workspace/` with the agent's files, and beside it
`ledger.jsonl` and `run_info.json`, which no tool of an agent can write. Scripts run in the sandbox. The
harness records the files that they write (`Door.outside`), so that a replay has them too.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Door, Json, Materials, Result, Tool, Workspace, World, refused
from assay.suites.collider import artefacts
from assay.suites.collider.formats import documents
from assay.suites.collider.formats.histogram import Binning
from assay.suites.collider.generators import mock
from assay.suites.collider.generators import registry as generators
from assay.suites.collider.measures.validity import check
from assay.suites.collider.problems import catalogue, orders, sets
from assay.suites.collider.provenance.runs import write_files
from assay.suites.collider.tools import clock, execution, manual, mirrors
from assay.suites.collider.tools.recorder import Recorder
from assay.task import Task

DATA_FILES = ("data/system_prompt.txt", "data/agents.md")

SYSTEM = documents.packaged_text("system_prompt.txt").removesuffix("\n")
RULES = documents.packaged_text("agents.md")

EVENT_BUDGETS = {sets.MOCK: 40_000, sets.CHAIN: 200_000, sets.OBJECTS: 40_000}
"""Largest number of events of one episode; those of the chain take about half an hour of one core."""

HEAVIEST = 1e9
"""Largest mass in GeV that is looked up; JSON allows integers beyond the range of floats."""

MOST_BACK = 4 << 20
"""Largest sum of the sizes of files (bytes) that a script may return."""


def open(task: Task, materials: Materials, workspace: Workspace, stream: Stream) -> World:  # noqa: A001
    """Open the world of a task.

    Args:
        task: the task.
        materials: its artefacts hold the samples of the physics chain.
        workspace: the folder of the episode.
        stream: seeds the random numbers inside the sandbox.
    """
    return _ColliderWorld(task, materials, workspace, stream.child("sandbox").bits() >> 11)


class _ColliderWorld:
    """One run: its workspace, its ledger, and the tools."""

    def __init__(self, task: Task, materials: Materials, workspace: Workspace, seed: int) -> None:
        self._facts: dict[str, Any] = task.public
        self._task_set = task.task_set
        self._binning = Binning.from_json(self._facts["histogram"])
        self._seed = seed
        self._place = workspace
        self._generator = sets.generator_of(task.task_set)
        self._tools = manual.tools(self._generator, sets.without(task.task_set))
        objects = self._generator == sets.OBJECTS
        self._clock = clock.Clock(self._facts["walltime"]) if objects else None
        info = {"task_id": self._facts["id"], "point": self._facts["point"], "file": self._facts["file"]}
        run = hashlib.sha256(f"{task.task_set}/{task.task_id}".encode()).hexdigest()[:16]
        make = partial(artefacts.sample, artefacts=materials.artefacts)
        self._record = Recorder(run, info, self._initial(), make)
        self._saved: dict[str, bytes] = {}

    def brief(self) -> Brief:
        """Return the brief as text, the template, the facts of the task and the tools."""
        limits = {"event": EVENT_BUDGETS[self._generator]} if self._generator else {}
        more: dict[str, Json] = {}
        if self._generator == sets.MOCK:
            more = {"mass": self._facts["mass"], "least_ht": self._facts["least_ht"]}
        elif self._generator in orders.PREFIXES:
            more = {"id": self._facts["id"], "paper": self._facts["paper"], "task_set": self._task_set}
        template = {"file": self._facts["file"], "template": self._facts["template"]}
        known = ("histogram", "luminosity_fb", "point", "mode", *(("walltime",) if self._clock else ()))
        facts = {**{name: self._facts[name] for name in known}, **more}
        return Brief(SYSTEM, (self._facts["brief"], RULES, template, facts), self._tools, limits)

    def call(self, tool: str, arguments: Any, door: Door) -> Result:
        if self._clock is not None and not self._clock.passed(tool, arguments):
            return replace(refused(f"the time limit of {self._facts['walltime']} is over"), ended="timeout")
        result: Result = getattr(self, f"_{tool}")(door, **arguments)
        return result

    def submission(self) -> Json:
        """Return the text of the submitted file; None if the template was not changed."""
        data = self._record.files[self._facts["file"]]
        return None if data == self._facts["template"].encode() else _text(data)

    def close(self) -> None:
        """Do nothing: each script has a sandbox of its own, which is closed already."""

    # ---------------------------------------------------------- files

    def _initial(self) -> dict[str, bytes]:
        texts = {
            "agent_context/TASK.md": self._facts["brief"],
            "agent_context/AGENTS.md": RULES,
            "agent_context/TOOLS.md": manual.reference(self._tools),
            self._facts["file"]: self._facts["template"],
            "report.md": "",
            "datasets.yaml": "",
        }
        if self._generator == sets.OBJECTS:
            texts["object_efficiencies/photons.json"] = manual.photon_efficiencies()
        return {path: text.encode() for path, text in texts.items()}

    def _save(self) -> None:
        """Write the recorded files that changed to the run folder."""
        changed = {
            path: data for path, data in self._record.layout().items() if self._saved.get(path) != data
        }
        self._saved |= changed
        write_files(self._place.path, changed)

    # ---------------------------------------------------------- tools

    def _manual(self, door: Door, tool: str) -> Result:
        known = {known.name: known for known in self._tools}
        if tool not in known:
            return refused(f"manual: tool: one of {', '.join(known)}")
        if tool == "generate" and self._generator is not None and self._generator in orders.PREFIXES:
            return Result((manual.chain_page(self._facts["paper"], self._generator),))
        return Result((manual.page(known[tool]),))

    def _list_files(self, door: Door) -> Result:
        sizes: dict[str, Json] = {path: len(data) for path, data in sorted(self._record.files.items())}
        return Result((sizes,))

    def _read_file(self, door: Door, path: str) -> Result:
        data = self._record.files.get(path)
        if data is None:
            return refused("read_file: path: no such file; list_files shows what there is")
        return Result((_text(data),))

    def _write_file(self, door: Door, path: str, text: str) -> Result:
        if not (
            path in manual.WRITABLE or path.startswith(tuple(w for w in manual.WRITABLE if w[-1] == "/"))
        ):
            return refused(f"write_file: path: legal places are {', '.join(manual.WRITABLE)}")
        if not self._record.free(path):
            return refused("write_file: path: that cannot be the name of a file here")
        self._record.write(path, text)
        self._save()
        return Result(("written",))

    def _cross_section(self, door: Door, process: str, mass: float) -> Result:
        rate = self._kept(process, float(mass)) if abs(mass) <= HEAVIEST else None
        if rate is None:
            return refused(f"cross_section: kept are {'; '.join(self._all_kept())}")
        self._record.look_up(process, mass, rate)
        self._save()
        return Result((rate,))

    def _kept(self, process: str, mass: float) -> dict[str, Any] | None:
        if process == mock.PROCESS and self._generator == sets.MOCK:
            if mass not in mock.MASSES:
                return None
            rate = mock.cross_section_fb(mass)
            return {"xsec_fb": rate, "relative_error": None, "states": "mock particles", "source": "made up"}
        kept = catalogue.cross_section(process, mass)
        if kept is None:
            return None
        return {
            "xsec_fb": kept.nlo_nll,
            "relative_error": kept.relative_error,
            "xsec_fb_nnlo_approx": kept.nnlo_approx_nnll,
            "states": kept.states,
            "source": "LHC SUSY Cross Section Working Group, NLO+NLL",
        }

    def _all_kept(self) -> Iterable[str]:
        """Yield the stored processes and masses of this experiment's tasks, for a refusal."""
        if self._generator == sets.MOCK:
            yield f"{mock.PROCESS} at {mock.MASSES[0]} to {mock.MASSES[-1]} in steps of 50"
        entries = catalogue.atlas() if self._facts["paper"].startswith("ATLAS") else catalogue.cms()
        points = {(entry.process, entry.mass) for entry in entries}
        for kept in catalogue.cross_sections():
            if (kept.process, kept.mass) in points:
                yield f"{kept.process} at {kept.mass:g}"

    def _hepdata(self, door: Door, action: str, record: str = "", table: str = "") -> Result:
        return Result((door.outside(lambda call: mirrors.hepdata(action, record, table)),))

    def _ufo(self, door: Door, search: str = "") -> Result:
        return Result((door.outside(lambda call: mirrors.models(search)),))

    def _read_paper(self, door: Door, part: int = 0) -> Result:
        return Result((door.outside(lambda call: mirrors.paper(self._facts["paper"], part)),))

    def _simulate(self, door: Door) -> Result:
        return Result((door.outside(lambda call: mirrors.programs()),))

    def _generate(self, door: Door, name: str, card: dict[str, Any], seed: int, events: int) -> Result:
        problem = self._card_problem(card)
        if problem is not None:
            return refused(f"generate: card: {problem}")
        files = self._record.sample_files(name)
        if not all(map(self._record.free, files)):
            return refused("generate: name: a folder of that name is in the way")
        try:
            self._record.generate(name, card, seed, events)
        except generators.NothingPasses as impossible:
            return refused(f"generate: card: {impossible.message}")
        self._save()
        return Result(({"events": events, "files": list(files)},), charged=events)

    def _read_events(self, door: Door, sample: str, first: int, count: int) -> Result:
        if sample not in self._record.samples or not sample.endswith(".csv"):
            return refused("read_events: sample: the data/NAME.csv of a generation")
        head, *rows = _text(self._record.files[sample]).splitlines()
        names = head.split(",")
        events: list[Json] = [
            {name: float(cell) for name, cell in zip(names, row.split(","), strict=True) if float(cell)}
            for row in rows[first : first + count]
        ]
        return Result((events,))

    def _card_problem(self, card: dict[str, Any]) -> str | None:
        """Return what is wrong with a card; None if it can be generated in this task."""
        if orders.prefix_of(str(card.get("generator"))) != orders.PREFIXES.get(self._generator or "", ""):
            return "that generator is not for this task; the manual of `generate` names the one that is"
        return generators.card_problem(card)

    def _run_analysis(self, door: Door, script: str, inputs: list[str]) -> Result:
        code = self._record.files.get(script)
        if code is None or not script.startswith("analysis/"):
            return refused("run_analysis: script: a file below analysis/ that was written before")
        wanted = sorted({*inputs, self._facts["file"]})
        if not all(path in self._record.files for path in wanted):
            return refused("run_analysis: inputs: one of these files is not there; list_files shows what is")
        given = {path: self._record.files[path] for path in wanted}
        came = door.outside(lambda call: self._sandboxed(_text(code), given))
        answer, written = _read_back(came)
        kept = {path: data for path, data in written.items() if self._record.open_to_scripts(path)}
        self._record.analysed(script, given, kept, int(answer["status"] != "ok"))
        self._save()
        return Result(({**answer, "files": list(kept)},))

    def _sandboxed(self, code: str, given: dict[str, bytes]) -> Json:
        """Run the script; return its outcome, and the files that it wrote below data/ and results/."""
        outcome, left = execution.run(code, given, self._seed, execution.POLICY)
        files: dict[str, Json] = {path: base64.b64encode(data).decode() for path, data in left.items()}
        total = sum(map(len, left.values()))
        return {**outcome.to_json(), "files": files if total <= MOST_BACK else None}

    def _check_submission(self, door: Door) -> Result:
        validity = check(self._record.files[self._facts["file"]], self._binning)
        return Result(({"valid": validity.valid, "reason": validity.reason, "detail": validity.detail},))

    def _finish(self, door: Door) -> Result:
        if self.submission() is None:
            return refused(
                f"finish: {self._facts['file']} is as it was; fill it in, or stop without a submission"
            )
        valid = check(self._record.files[self._facts["file"]], self._binning).valid
        return Result(("submitted",), ended="done" if valid else "invalid")


def _read_back(came: Any) -> tuple[dict[str, Json], dict[str, bytes]]:
    """Return what a script printed and the files that it wrote.

    The value is checked, because it comes from unknown code.
    """
    came = came if isinstance(came, dict) else {}
    answer: dict[str, Json] = {
        name: str(came.get(name) or "") for name in ("status", "stdout", "stderr", "error")
    }
    contents: dict[str, bytes] = {}
    files = came.get("files")
    problem = "" if isinstance(files, dict) else f"the files that the script wrote exceed {MOST_BACK} bytes"
    for path, text in sorted(files.items()) if isinstance(files, dict) else ():
        try:
            contents[path] = base64.b64decode(str(text), validate=True)
        except (binascii.Error, ValueError):
            problem = "the script handed back what is no file"
        if not path.startswith(execution.KEPT):
            problem = "the script handed back what is no file"
    if problem:
        return {**answer, "status": "error", "error": problem}, {}
    return answer, contents


def _text(data: bytes) -> str:
    """Return a file as text; bytes that are not UTF-8 are replaced."""
    return data.decode("utf-8", errors="replace")


TOOLS: tuple[Tool, ...] = manual.tools(sets.CHAIN)
"""All tools, including those that only some tasks have."""
