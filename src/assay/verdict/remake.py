"""Builds files of the results again: in a copy of the checkout to explain them, in place to repair them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

from assay.build import damage
from assay.build.paths import BUILT
from assay.config.places import FROZEN
from assay.errors import NotBuilt, UnknownName
from assay.tables.digest import file_digest
from assay.verdict.comparison import Comparison, diff
from assay.verdict.manifest import Entry, Manifest, ManifestError, read_manifest
from assay.verdict.verify import GOOD, check, verify

_NO_SOURCE = frozenset({".git", ".venv", ".snakemake", "__pycache__", "results", "reports", "private"})
"""Folders that are not copied if git cannot list the files of the checkout."""

_TAIL = 30
"""Number of lines at the end of a failed build's output that are reported."""


@dataclass(frozen=True)
class Build:
    """The exit code and the output of a build."""

    exit_code: int
    output: str


Builder: TypeAlias = Callable[[Path, Sequence[str], bool], Build]
"""`builder(checkout, targets, store)` builds targets in a checkout, with or without the content store."""


def snakemake(cores: str = "all", configfiles: Iterable[str] = ()) -> Builder:
    """Return a builder that runs the workflow of a checkout with the source code of that checkout."""
    files = [str(Path(file).resolve()) for file in configfiles]

    def build(checkout: Path, targets: Sequence[str], store: bool) -> Build:
        configured = ["--configfile", *files] if files else []
        command = [sys.executable, "-m", "snakemake", *configured, "--cores", cores, "--", *targets]
        environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
        if not store:
            environment["ASSAY_STORE"] = "off"
        done = subprocess.run(
            command,
            cwd=checkout,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        return Build(done.returncode, done.stdout)

    return build


@dataclass(frozen=True)
class Explanation:
    """A comparison of a file on disk with the same file built again and with the frozen manifest.

    Attributes:
        path: The file, relative to the checkout.
        rule: The rule that makes it.
        finding: The conclusion in words.
        comparison: The file on disk compared with the one built again, or None if the file is missing.
        remedy: What the user can do; empty if nothing is wrong.
        exit_code: 0 if the file is correct, 1 if it is not, 2 if it is missing.
    """

    path: str
    rule: str
    finding: str
    comparison: Comparison | None
    remedy: str
    exit_code: int

    def text(self) -> str:
        """The explanation for readers."""
        lines = [f"{self.path} (rule {self.rule})" if self.rule else self.path]
        if self.comparison is not None:
            lines += [f"  on disk against made again: {line}" for line in _lines(self.comparison)]
        lines += [f"  {self.finding}"]
        return "\n".join([*lines, f"remedy: {self.remedy}"] if self.remedy else lines)

    def json(self) -> str:
        """The explanation as JSON text."""
        compared = None if self.comparison is None else json.loads(self.comparison.json())
        return json.dumps(asdict(self) | {"comparison": compared}, indent=1, ensure_ascii=False)


def explain(root: Path, path: str, builder: Builder) -> Explanation:
    """Build one file again in a copy of the checkout, without the store, to find out which version is right.

    Raises:
        UnknownName: No manifest lists the file.
        NotBuilt: The file cannot be built again.
    """
    root, path = root.resolve(), _relative(root, path)
    built = _manifest(root / BUILT)
    frozen = _manifest(root / (built.frozen if built else FROZEN))
    entry = (frozen.files if frozen else {}).get(path)
    listed = entry or (built.files if built else {}).get(path)
    if listed is None:
        raise UnknownName(
            f"{path} is in no manifest, frozen or built", "name a merged table, a figure or a page"
        )
    if not (root / path).is_file():
        return Explanation(path, listed.rule, "the file is missing", None, f"assay verify --repair {path}", 2)
    with tempfile.TemporaryDirectory(prefix="assay-explain-") as aside:
        checkout = Path(aside) / root.name
        _copy_checkout(root, checkout)
        done = builder(checkout, [path, *_second(built, [path])], False)
        if done.exit_code or not (checkout / path).is_file():
            raise NotBuilt(
                f"{path} could not be made aside (exit code {done.exit_code}):\n{_tail(done.output)}",
                "make the workflow run, or give its --configfile; files that git ignores are not copied",
            )
        comparison = diff(root / path, checkout / path)
        same = file_digest(root / path) == file_digest(checkout / path)
        made, held = (_is_frozen(place, entry, built) for place in (checkout, root))
    finding, remedy, exit_code = _conclude(path, same=same, made=made, held=held)
    return Explanation(path, listed.rule, finding, comparison, remedy, exit_code)


def _is_frozen(checkout: Path, entry: Entry | None, built: Manifest | None) -> bool | None:
    """Whether the file equals the frozen one, or None if it is not frozen or cannot be compared."""
    state = "not frozen" if entry is None else check(checkout, entry, built).state
    return None if state in ("not frozen", "not compared") else state in GOOD


def _conclude(path: str, *, same: bool, made: bool | None, held: bool | None) -> tuple[str, str, int]:
    """Return the finding, the remedy and the exit code of an explanation.

    Args:
        path: The file.
        same: Whether the file on disk and the one built again have the same bytes.
        made: Whether the one built again equals the frozen file, or None if that cannot be compared.
        held: Whether the file on disk equals the frozen file, or None if that cannot be compared.
    """
    repair = f"assay verify --repair {path}"
    source = "look for the change in the source and configuration of this rule; if it is meant, `make freeze`"
    if same and made is False:
        return "made again it is the same: its rule no longer makes what was frozen", source, 1
    if same:
        return f"made again it is the same{', and what was frozen' if made else '; it is not frozen'}", "", 0
    if made and held:
        return "both are what was frozen, in other bytes", "", 0
    if made:
        return "made again it is what was frozen: the file on disk was damaged or edited", repair, 1
    if held:
        return (
            "the file on disk is what was frozen, but its rule no longer makes it, or not the same twice",
            source,
            1,
        )
    if made is None:
        return "the file on disk is not what its rule makes; it is not frozen", repair, 1
    return (
        "neither the file on disk nor the one made again is what was frozen",
        f"{repair}, then ask again",
        1,
    )


def repair(root: Path, paths: Sequence[str], builder: Builder) -> list[str]:
    """Delete files of the results and build them again, with everything that depends on them.

    Args:
        root: The checkout.
        paths: The files. If empty, all files that differ or are missing are repaired.
        builder: The function that builds them.

    Returns:
        The paths of the files that were built again.

    Raises:
        UnknownName: A file is in no manifest.
        NotBuilt: The build fails.
    """
    root = root.resolve()
    built = _manifest(root / BUILT)
    frozen = _manifest(root / (built.frozen if built else FROZEN))
    known = {*(frozen.files if frozen else ()), *(built.files if built else ())}
    targets = [_relative(root, path) for path in paths] or [
        finding.path for finding in verify(root).findings if finding.state in ("differs", "missing")
    ]
    for path in targets:
        if paths and path not in known:
            raise UnknownName(
                f"{path} is in no manifest, frozen or built: nothing was deleted",
                "name merged tables, figures or pages, as `assay verify` lists them",
            )
    if not targets:
        return []
    targets += _second(built, targets)
    damage.remove(root, targets)
    # Name only files of a manifest as targets. Others may belong to another configuration, which this build
    # cannot make; if the target `all` needs them, Snakemake makes them anyway.
    done = builder(root, [*(path for path in targets if path in known), "all"], True)
    if done.exit_code:
        raise NotBuilt(
            f"the files could not be made again (exit code {done.exit_code}):\n{_tail(done.output)}",
            "make `snakemake all` run, then `assay verify`",
        )
    return targets


def _second(built: Manifest | None, paths: Iterable[str]) -> list[str]:
    """The versions made from the frozen agents alone, which are compared instead of these files."""
    seconds = [built.over_frozen_agents(path) for path in paths] if built else []
    return [second.path for second in seconds if second is not None]


def _manifest(path: Path) -> Manifest | None:
    try:
        return read_manifest(path)
    except (NotBuilt, ManifestError):
        return None


def _relative(root: Path, path: str) -> str:
    """Convert a relative or absolute path to the form in which manifests list it."""
    given = Path(path)
    return given.relative_to(root).as_posix() if given.is_relative_to(root) else given.as_posix()


def _copy_checkout(root: Path, to: Path) -> None:
    """Copy the source files of a checkout, without results."""
    for name in _source_files(root):
        if (root / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, to / name)


def _source_files(root: Path) -> list[Path]:
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return list(_walk(root))
    return [Path(os.fsdecode(name)) for name in listed.split(b"\0") if name]


def _walk(root: Path) -> Iterator[Path]:
    for folder, inner, files in os.walk(root):
        inner[:] = [name for name in inner if name not in _NO_SOURCE]
        yield from ((Path(folder) / file).relative_to(root) for file in files)


def _lines(comparison: Comparison) -> list[str]:
    lines = [difference.what for difference in comparison.differences]
    lines += [f"cannot be told ({problem})" for problem in comparison.problems] + list(comparison.remarks)
    return lines or ["no difference"]


def _tail(output: str) -> str:
    return "\n".join(output.rstrip().splitlines()[-_TAIL:])
