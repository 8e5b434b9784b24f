"""The files that tools write while an agent works, and the ledger that says how each file was made.

The world records its runs with this module. Other programs that run agents can do the same: `save` writes a
run folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from assay import canonical
from assay.suites.collider.generators import registry as generators
from assay.suites.collider.generators.registry import Card, Sample
from assay.suites.collider.provenance import ledger
from assay.suites.collider.provenance.runs import INFO, LEDGER, WORKSPACE, Run, write_files


class Recorder:
    """The record of one run in progress; `make(card, seed, events)` generates its samples.

    Attributes:
        run: the id of the run.
        info: the content of `run_info.json`.
        files: the files by their path in the workspace.
        samples: the paths of the files that generations wrote.
        lines: the bytes of the ledger.
    """

    def __init__(
        self,
        run: str,
        info: Mapping[str, Any],
        files: Mapping[str, bytes],
        make: Callable[[Card, int, int], Sample] = generators.generate,
    ) -> None:
        self.run = run
        self._make = make
        self.info = {**info, "run": run}
        self.files = dict(files)
        self.samples: set[str] = set()
        self.lines = b""

    def free(self, path: str) -> bool:
        """Return whether a file can be written at a path.

        The path must be a plain relative one, with no file above it and no folder at it.
        """
        parts = path.split("/")
        plain = all(part not in ("", ".", "..") and part.isprintable() and len(part) <= 100 for part in parts)
        if not plain or not path.isascii() or "\\" in path or not 0 < len(parts) <= 8:
            return False
        above = {"/".join(parts[:n]) for n in range(1, len(parts))}
        return not above & self.files.keys() and not any(f.startswith(path + "/") for f in self.files)

    def open_to_scripts(self, path: str) -> bool:
        """Return whether a script may write a file at a path. Cards and samples are read-only for scripts."""
        return self.free(path) and path not in self.samples

    def keep(self, tool: str, argv: Any, files: Mapping[str, bytes], **more: Any) -> None:
        """Write files, and record which tool did so with which arguments."""
        self.files |= files
        outputs = [ledger.file_record(path, data) for path, data in files.items()]
        self.lines = ledger.append(self.lines, self.run, tool, argv, outputs=outputs, **more)

    def write(self, path: str, text: str) -> None:
        """Record a file that the agent wrote itself."""
        self.keep("write_file", {"path": path, "text": text}, {path: text.encode("utf-8", errors="replace")})

    def look_up(self, process: str, mass: float, result: Mapping[str, Any]) -> None:
        """Record a cross section that the agent looked up."""
        self.keep("cross_section", {"process": process, "mass": mass}, {}, result=dict(result))

    def sample_files(self, name: str) -> list[str]:
        """Return the files that a generation of that name writes: the card and the events."""
        return [f"sims/{name}.json", f"data/{name}.csv"]

    def generate(self, name: str, card: Card, seed: int, events: int) -> None:
        """Generate a sample of a valid card, and write it into `sample_files`."""
        sample = self._make(card, seed, events)
        self.samples.update(self.sample_files(name))
        data = ((canonical.dumps(card) + "\n").encode(), sample.data)
        self.keep(
            "generate",
            {"name": name, "card": card, "seed": seed, "events": events},
            dict(zip(self.sample_files(name), data, strict=True)),
            card=card,
            seed=seed,
            n_generated=events,
            shards=list(sample.shards),
        )

    def analysed(self, script: str, given: Mapping[str, bytes], left: Mapping[str, bytes], code: int) -> None:
        """Record a script that read `given`, wrote `left` and ended with exit code `code` (0: success)."""
        inputs = {script: self.files[script], **given}
        self.keep(
            "run_analysis",
            {"script": script, "inputs": list(given)},
            left,
            inputs=[ledger.file_record(path, data) for path, data in inputs.items()],
            exit_code=code,
        )

    def finished(self) -> Run:
        """Return the run for the provenance examination."""
        return Run(dict(self.files), self.lines or None, self.info)

    def layout(self) -> dict[str, bytes]:
        """Return every file of the run folder by its path in the folder."""
        info = canonical.dumps(self.info).encode() + b"\n"
        inside = {f"{WORKSPACE}/{path}": data for path, data in self.files.items()}
        return {INFO: info, LEDGER: self.lines, **inside}

    def save(self, folder: Path) -> None:
        write_files(folder, self.layout())
