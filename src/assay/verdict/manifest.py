"""The manifest: every merged table, figure and page with its hashes, one line a file.

`results/built.json` lists what a run of the workflow built. `results/MANIFEST`, in git, lists what was
frozen, and `assay verify` holds the files on disk against it. Only `freeze` writes it. A
configuration may name another frozen manifest as its own.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from assay import canonical
from assay.build.paths import BUILT
from assay.build.store import FROZEN_VIEW
from assay.config.places import FROZEN
from assay.errors import AssayError, NotBuilt, TableError
from assay.tables.digest import file_digest, table_digests
from assay.tables.reader import DAMAGED
from assay.writing import write_whole

EVERY_SUITE = "all"
"""The suite of a file that covers all suites that were built."""

FORMAT = 1

Kind = Literal["table", "figure", "page", "data", "json"]

_KINDS = ("table", "figure", "page", "data", "json")


class ManifestError(AssayError):
    """A manifest is malformed; nothing can be told from it."""

    exit_code = 2


@dataclass(frozen=True)
class Output:
    """A file that the workflow promises: where it is, which rule makes it, whom it shows.

    `path` is relative to the checkout. `partition` names the column by which a table divides into parts
    that do not depend on each other, see `assay.tables.schema.Schema`.
    """

    path: str
    kind: Kind
    suite: str
    rule: str
    agents: tuple[str, ...] = ()
    partition: str | None = None


@dataclass(frozen=True)
class Entry(Output):
    """An output with its hashes; the fields after `size` describe tables alone.

    `columns` maps a column to its hash, `parts` an agent to the hashes of its rows. Where one agent is all
    that a table shows, `parts` is empty: its part is the table.
    """

    sha256: str = ""
    size: int = 0
    schema: str = ""
    writer: str = ""
    rows: int = 0
    columns: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def part(self, agent: str) -> Mapping[str, str] | None:
        """The hashes of the rows of one agent; null where it has none."""
        if self.partition is not None and self.agents == (agent,) and not self.parts:
            return self.columns if self.rows else None
        return self.parts.get(agent)


@dataclass(frozen=True)
class Manifest:
    """The suites that were built as a whole, and their files by path.

    For a built manifest, `left_out` gives, by suite, why one could not be built on that machine, `frozen`
    names the frozen manifest of that configuration, and `added` gives, by suite, the agents that this does
    not list. The files that show added agents are then listed a second time, below `FROZEN_VIEW`, as they
    are made over the frozen agents alone.
    """

    suites: tuple[str, ...]
    files: Mapping[str, Entry]
    left_out: Mapping[str, str] = field(default_factory=dict)
    frozen: str = FROZEN
    added: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def over_frozen_agents(self, path: str) -> Entry | None:
        """The same file over the frozen agents alone; None where it was not made twice."""
        return self.files.get(f"{FROZEN_VIEW}{path}")


def describe(root: Path, output: Output) -> Entry:
    """Hash one file; `NotBuilt` where it is missing, `TableError` where a table cannot be read."""
    path = root / output.path
    fields = {name: getattr(output, name) for name in Output.__dataclass_fields__}
    fields["agents"] = tuple(sorted(output.agents))
    try:
        entry = Entry(**fields, sha256=file_digest(path), size=path.stat().st_size)
    except FileNotFoundError as problem:
        raise NotBuilt(f"{output.path} is missing", f"snakemake --cores all -- {output.path}") from problem
    if output.kind != "table":
        return entry
    found = table_digests(path, output.partition)
    for name, trouble in found.unreadable.items():
        raise TableError(f"{output.path}: column {name} cannot be read ({trouble})", DAMAGED)
    unknown = [agent for agent in found.parts if agent not in entry.agents]
    if unknown:
        raise TableError(
            f"{output.path} has rows of {', '.join(unknown)}, whom the rule {output.rule} does not list",
            "list every agent that the file shows",
        )
    return replace(
        entry,
        schema=found.schema,
        writer=found.writer,
        rows=found.rows,
        columns=found.columns,
        parts={} if len(entry.agents) == 1 else found.parts,
    )


def build_manifest(root: Path, outputs: Iterable[Output], suites: Iterable[str]) -> Manifest:
    """Hash the files of a build; see `describe` for what it raises."""
    files = {output.path: describe(root, output) for output in sorted(outputs, key=lambda o: o.path)}
    return Manifest(tuple(sorted(suites)), files)


def write_manifest(path: Path | str, manifest: Manifest) -> None:
    """Write a manifest as JSON, its files sorted, one a line; the file appears whole or not at all."""
    path = Path(path)
    lines = [
        f"  {json.dumps(name, ensure_ascii=False)}: {_entry_text(manifest.files[name])}"
        for name in sorted(manifest.files)
    ]
    files = "{\n" + ",\n".join(lines) + "\n }" if lines else "{}"
    fields: dict[str, Any] = {"format": FORMAT, "suites": list(manifest.suites)}
    if manifest.left_out:
        fields["left_out"] = dict(manifest.left_out)
    if manifest.frozen != FROZEN:
        fields["frozen"] = manifest.frozen
    if manifest.added:
        fields["added"] = {suite: list(agents) for suite, agents in manifest.added.items()}
    head = "".join(f" {json.dumps(name)}: {json.dumps(value)},\n" for name, value in fields.items())
    text = f'{{\n{head} "files": {files}\n}}\n'
    write_whole(path, text)


def read_manifest(path: Path | str) -> Manifest:
    """The manifest of a file; `NotBuilt` where it is missing, `ManifestError` where it is none."""
    path = Path(path)
    remedy = (
        f"restore it (git checkout -- {path}), or freeze a first one (make freeze)"
        if path.name != Path(BUILT).name
        else "delete it and run `make reproduce`"
    )
    try:
        value = canonical.loads(path.read_bytes())
    except FileNotFoundError as problem:
        raise NotBuilt(f"{path} does not exist", remedy) from problem
    except (OSError, ValueError) as problem:
        raise ManifestError(f"{path} is not a manifest ({problem})", remedy) from problem
    try:
        return _from_json(value)
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        raise ManifestError(f"{path} is not a manifest ({problem})", remedy) from problem


def differing_columns(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """The columns whose hashes differ, or which only one of two tables has, in the tables' order."""
    return [name for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)]


def freeze(root: Path) -> list[str]:
    """Make what is built the frozen manifest; returns, a line each, what that changes.

    Suites that are not built stay as they were frozen. `NotBuilt` where there is no build, a file is missing,
    or is not what was built, and where agents were added: corrections run over the frozen agents, so that
    with more of them other results are to be frozen.
    """
    built = read_manifest(root / BUILT)
    if built.added:
        names = ", ".join(sorted({name for names in built.added.values() for name in names}))
        raise NotBuilt(
            f"{built.frozen} does not list {names}: this build keeps their results apart, nothing was frozen",
            'build with them as frozen agents (make reproduce ARGS="--config freezing=true"), then freeze',
        )
    lost = [path for path in built.files if not (root / path).is_file()]
    if lost:
        raise NotBuilt(
            f"{_several(lost)} in {BUILT} but not on disk: nothing was frozen", "run `make reproduce` first"
        )
    moved = [path for path, entry in built.files.items() if file_digest(root / path) != entry.sha256]
    if moved:
        raise NotBuilt(
            f"{_several(moved)} not what {BUILT} says: nothing was frozen",
            f"make them and {BUILT} again (assay verify --repair, or snakemake all), then freeze",
        )
    try:
        old = read_manifest(root / built.frozen)
    except NotBuilt:
        old = Manifest((), {})
    kept = {
        path: entry
        for path, entry in old.files.items()
        if entry.suite != EVERY_SUITE and entry.suite not in built.suites
    }
    new = Manifest(tuple(sorted({*built.suites, *(e.suite for e in kept.values())})), {**kept, **built.files})
    said = changes(old, new)
    idle = sorted({entry.suite for entry in kept.values()})
    if idle:
        said.append(f"kept as frozen, since not built: {', '.join(idle)}")
    write_manifest(root / built.frozen, new)
    return said


def changes(old: Manifest, new: Manifest) -> list[str]:
    """What differs between two manifests: a line a file added, removed or changed, with its columns."""
    said = []
    for path in sorted({*old.files, *new.files}):
        before, after = old.files.get(path), new.files.get(path)
        if before is None:
            said.append(f"added    {path}")
        elif after is None:
            said.append(f"removed  {path}")
        elif before != after:
            said.append(f"changed  {path}{_what_changed(before, after)}")
    return said


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `assay freeze`."""
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (default: this folder)")


def main(args: argparse.Namespace) -> int:
    """Freeze what is built, and say what that changes; returns the exit code."""
    said = freeze(args.root)
    for line in said:
        print(line)
    print(f"{read_manifest(args.root / BUILT).frozen}: {'written' if said else 'as it was'}")
    return 0


def _what_changed(before: Entry, after: Entry) -> str:
    said = []
    columns = differing_columns(before.columns, after.columns)
    if columns:
        said.append(f"columns {', '.join(columns)}")
    if before.rows != after.rows:
        said.append(f"rows {before.rows} -> {after.rows}")
    new = [agent for agent in after.agents if agent not in before.agents]
    gone = [agent for agent in before.agents if agent not in after.agents]
    said += [f"with {', '.join(new)}"] * bool(new) + [f"without {', '.join(gone)}"] * bool(gone)
    if not said and before.sha256 != after.sha256:
        said.append("same content, other bytes" if before.kind == "table" else "other bytes")
    return f": {'; '.join(said)}" if said else ""


def _several(paths: list[str]) -> str:
    shown = ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")
    return f"{shown} {'is' if len(paths) == 1 else 'are'}"


def _entry_text(entry: Entry) -> str:
    value = asdict(entry)
    del value["path"]
    if entry.kind != "table":
        for name in ("schema", "writer", "rows", "columns", "parts"):
            del value[name]
    if entry.partition is None:
        del value["partition"]
    if not entry.parts:
        value.pop("parts", None)
    return json.dumps(value, ensure_ascii=False)


def _from_json(value: Any) -> Manifest:
    if value["format"] != FORMAT:
        raise ValueError(f"format {value['format']}, not {FORMAT}")
    files = {}
    for path, given in value["files"].items():
        entry = Entry(**{**given, "path": path, "agents": tuple(given["agents"])})
        for name, kind in _SHAPES.items():
            if not isinstance(getattr(entry, name), kind):
                raise TypeError(f"{path}: {name} is not {kind.__name__}")
        if entry.kind not in _KINDS or len(entry.sha256) != 64:
            raise ValueError(f"{path}: {entry.kind} with sha256 {entry.sha256!r}")
        if Path(path).is_absolute() or ".." in Path(path).parts:
            raise ValueError(f"{path} leads out of the checkout")
        files[path] = entry
    suites, left_out = value["suites"], value.get("left_out", {})
    if not isinstance(suites, list) or not all(isinstance(suite, str) for suite in suites):
        raise TypeError("suites is not a list of names")
    if not isinstance(left_out, dict) or not all(isinstance(reason, str) for reason in left_out.values()):
        raise TypeError("left_out does not map suites to reasons")
    added = value.get("added", {})
    if not isinstance(added, dict) or not all(isinstance(agents, list) for agents in added.values()):
        raise TypeError("added does not map suites to lists of agents")
    frozen = value.get("frozen", FROZEN)
    if not isinstance(frozen, str) or Path(frozen).is_absolute() or ".." in Path(frozen).parts:
        raise ValueError(f"frozen is {frozen!r}, no path in the checkout")
    return Manifest(
        tuple(suites), files, left_out, frozen, {suite: tuple(agents) for suite, agents in added.items()}
    )


_SHAPES = {
    "suite": str,
    "rule": str,
    "sha256": str,
    "size": int,
    "rows": int,
    "schema": str,
    "writer": str,
    "columns": dict,
    "parts": dict,
}
