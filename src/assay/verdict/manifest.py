"""The manifest: a list of all merged tables, figures and pages with their hashes.

`results/built.json` lists the files that a run of the workflow built. `results/MANIFEST`, which is kept in
git, lists the frozen files. `assay verify` compares the files on disk with it, and only `freeze` writes it. A
configuration may name another frozen manifest.
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
"""Used in place of the suite for files that cover all suites of a build."""

FORMAT = 1

Kind = Literal["table", "figure", "page", "data", "json"]

_KINDS = ("table", "figure", "page", "data", "json")


class ManifestError(AssayError):
    """A manifest is malformed and cannot be used."""

    exit_code = 2


@dataclass(frozen=True)
class Output:
    """A file that the workflow makes.

    Attributes:
        path: Its path relative to the checkout.
        kind: The kind of file.
        suite: The suite that it belongs to, or `EVERY_SUITE`.
        rule: The rule that makes it.
        agents: The agents that it shows.
        partition: The column by which the rows of a table divide into parts that do not depend on each other
            (see `assay.tables.schema.Schema`), or None if there is no such column.
    """

    path: str
    kind: Kind
    suite: str
    rule: str
    agents: tuple[str, ...] = ()
    partition: str | None = None


@dataclass(frozen=True)
class Entry(Output):
    """An output with its hashes. The fields after `size` describe tables only.

    Attributes:
        sha256: The SHA-256 of the file as 64 hexadecimal digits.
        size: The size of the file in bytes.
        schema: The name and version of the table's schema.
        writer: The program that wrote the table.
        rows: The number of rows.
        columns: The hash of each column by name.
        parts: For each agent, the hashes of the columns over its rows alone. Empty for a table of a single
            agent, whose part is the whole table, and for a table without a partition.
    """

    sha256: str = ""
    size: int = 0
    schema: str = ""
    writer: str = ""
    rows: int = 0
    columns: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def part(self, agent: str) -> Mapping[str, str] | None:
        """The hashes of the columns over the rows of one agent, or None if it has no rows."""
        if self.partition is not None and self.agents == (agent,) and not self.parts:
            return self.columns if self.rows else None
        return self.parts.get(agent)


@dataclass(frozen=True)
class Manifest:
    """The files of a build with their hashes.

    The last four fields are used in built manifests only. If agents were added, each file that shows several
    agents has a second version below `FROZEN_VIEW`, made from the frozen agents alone, which is also listed.

    Attributes:
        suites: The suites that were built.
        files: The files by path.
        left_out: For each suite that could not be built on that machine, the reason.
        frozen: The path of the frozen manifest that the configuration names.
        added: For each suite, its agents that the frozen manifest does not list.
        released: The sets (suite/set) that were read from files of the user and are never frozen, each
            with the digest of these files.
    """

    suites: tuple[str, ...]
    files: Mapping[str, Entry]
    left_out: Mapping[str, str] = field(default_factory=dict)
    frozen: str = FROZEN
    added: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    released: Mapping[str, str] = field(default_factory=dict)

    def released_sets(self, suite: str) -> tuple[str, ...]:
        """The names of the released sets that a file of a suite, or of all suites, may show."""
        names = (name.partition("/") for name in self.released)
        return tuple(task_set for of, _, task_set in names if suite in (of, EVERY_SUITE))

    def over_frozen_agents(self, path: str) -> Entry | None:
        """The version of a file made from the frozen agents alone, or None if there is none."""
        return self.files.get(f"{FROZEN_VIEW}{path}")


def describe(root: Path, output: Output) -> Entry:
    """Hash one file and, if it is a table, its columns.

    Raises:
        NotBuilt: The file is missing.
        TableError: The table cannot be read, or has rows of agents that the output does not list.
    """
    path = root / output.path
    fields = {name: getattr(output, name) for name in Output.__dataclass_fields__}
    fields["agents"] = tuple(sorted(output.agents))
    try:
        entry = Entry(**fields, sha256=file_digest(path), size=path.stat().st_size)
    except FileNotFoundError as problem:
        raise NotBuilt(f"{output.path} is missing", f"snakemake --cores all -- {output.path}") from problem
    if output.kind != "table":
        return entry
    table = table_digests(path, output.partition)
    for name, trouble in table.unreadable.items():
        raise TableError(f"{output.path}: column {name} cannot be read ({trouble})", DAMAGED)
    unknown = [agent for agent in table.parts if agent not in entry.agents]
    if unknown:
        raise TableError(
            f"{output.path} has rows of {', '.join(unknown)}, whom the rule {output.rule} does not list",
            "list every agent that the file shows",
        )
    return replace(
        entry,
        schema=table.schema,
        writer=table.writer,
        rows=table.rows,
        columns=table.columns,
        parts={} if len(entry.agents) == 1 else table.parts,
    )


def build_manifest(root: Path, outputs: Iterable[Output], suites: Iterable[str]) -> Manifest:
    """Hash the files of a build. Raises the same errors as `describe`."""
    files = {output.path: describe(root, output) for output in sorted(outputs, key=lambda o: o.path)}
    return Manifest(tuple(sorted(suites)), files)


def write_manifest(path: Path | str, manifest: Manifest) -> None:
    """Write a manifest atomically, as JSON with one line for each file, sorted by path."""
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
    if manifest.released:
        fields["not frozen"] = dict(manifest.released)
    head = "".join(f" {json.dumps(name)}: {json.dumps(value)},\n" for name, value in fields.items())
    text = f'{{\n{head} "files": {files}\n}}\n'
    write_whole(path, text)


def read_manifest(path: Path | str) -> Manifest:
    """Read a manifest.

    Raises:
        NotBuilt: The file does not exist.
        ManifestError: The file is not a manifest.
    """
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
    """The columns whose hashes differ or that only one of two tables has, in the order of the tables.

    >>> differing_columns({"a": "1", "b": "2"}, {"a": "1", "b": "3", "c": "4"})
    ['b', 'c']
    """
    return [name for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)]


def freeze(root: Path) -> list[str]:
    """Write the frozen manifest from the present build. The entries of suites that were not built are kept.

    Returns:
        The changes, one line each.

    Raises:
        NotBuilt: There is no build, a file is missing or was changed after it was built, the build has
            released sets, or it has added agents. The latter cannot be frozen afterwards: corrections for
            multiple comparisons include the frozen agents only, so a build in which the agents are frozen
            gives other results.
    """
    built = read_manifest(root / BUILT)
    if built.added:
        names = ", ".join(sorted({name for names in built.added.values() for name in names}))
        raise NotBuilt(
            f"{built.frozen} does not list {names}: this build keeps their results apart, nothing was frozen",
            'build with them as frozen agents (make reproduce ARGS="--config freezing=true"), then freeze',
        )
    if built.released:
        raise NotBuilt(
            f"{', '.join(built.released)} are read from files of this machine: nothing was frozen",
            "remove these sets from the configuration, build again (make reproduce), then freeze",
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
    lines = changes(old, new)
    idle = sorted({entry.suite for entry in kept.values()})
    if idle:
        lines.append(f"kept as frozen, since not built: {', '.join(idle)}")
    write_manifest(root / built.frozen, new)
    return lines


def changes(old: Manifest, new: Manifest) -> list[str]:
    """List the files that were added, removed or changed between two manifests, one line each."""
    lines = []
    for path in sorted({*old.files, *new.files}):
        before, after = old.files.get(path), new.files.get(path)
        if before is None:
            lines.append(f"added    {path}")
        elif after is None:
            lines.append(f"removed  {path}")
        elif before != after:
            lines.append(f"changed  {path}{_what_changed(before, after)}")
    return lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `assay freeze`."""
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (default: this folder)")


def main(args: argparse.Namespace) -> int:
    """Freeze the present build, print the changes and return the exit code."""
    lines = freeze(args.root)
    for line in lines:
        print(line)
    print(f"{read_manifest(args.root / BUILT).frozen}: {'written' if lines else 'as it was'}")
    return 0


def _what_changed(before: Entry, after: Entry) -> str:
    parts = []
    columns = differing_columns(before.columns, after.columns)
    if columns:
        parts.append(f"columns {', '.join(columns)}")
    if before.rows != after.rows:
        parts.append(f"rows {before.rows} -> {after.rows}")
    new = [agent for agent in after.agents if agent not in before.agents]
    gone = [agent for agent in before.agents if agent not in after.agents]
    parts += [f"with {', '.join(new)}"] * bool(new) + [f"without {', '.join(gone)}"] * bool(gone)
    if not parts and before.sha256 != after.sha256:
        parts.append("same content, other bytes" if before.kind == "table" else "other bytes")
    return f": {'; '.join(parts)}" if parts else ""


def _several(paths: list[str]) -> str:
    names = ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")
    return f"{names} {'is' if len(paths) == 1 else 'are'}"


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
    released = value.get("not frozen", {})
    if not isinstance(released, dict) or not all(isinstance(digest, str) for digest in released.values()):
        raise TypeError("`not frozen` does not map sets to digests")
    frozen = value.get("frozen", FROZEN)
    if not isinstance(frozen, str) or Path(frozen).is_absolute() or ".." in Path(frozen).parts:
        raise ValueError(f"frozen is {frozen!r}, no path in the checkout")
    added = {suite: tuple(agents) for suite, agents in added.items()}
    return Manifest(tuple(suites), files, left_out, frozen, added, released)


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
