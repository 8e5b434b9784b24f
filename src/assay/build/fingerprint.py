"""The fingerprint of the source that a job depends on: code changes it, comments do not.

Snakemake compares the parameters of a rule, not the modules that its program imports. So every rule has as a
parameter the fingerprint of its *roots*: the program, the module of the stage and the modules of the rooms
that it calls. From the roots, import statements are followed to all modules of the checkout.

* A root is a dotted module name (`assay.stages.scores`) or a program (`workflow/scripts/stage.py`).
* A root may choose entries of a registry: `assay.suites.petri.figures#world-swarm`. Of the references in the
  dictionaries of that module, a job with this root follows those of the named entries alone.
* First-party packages are `assay` and the top-level package of each root. Modules are looked up in
  `<checkout>/src`, then in `<checkout>`.
* Comments, layout, docstrings and blocks under `if TYPE_CHECKING:` do not count (`assay.build.source`).
* A module may declare `DATA_FILES = ("constants.json",)`, relative to its own folder. The bytes of these
  files count.
* A data file may be the lock of an extra (`envs/<extra>.lock`). Then installed packages whose version
  deviates from it count as well.
* A string literal of the form `"assay.module:name"` counts as an import of that name (`assay.specs.resolve`).
* A module that is loaded by a computed name cannot be found in this way; `guard` reports it after the work.

Every fingerprint also covers the lock file of the environment (without its comments), the packages installed
in another version than the lock file says, and Python's minor version, because the syntax tree depends on it.
The store, the job wrapper with its records, and this module are not covered, because they do not compute
results. If a change in one of them ever changes a result, raise `RECIPE`.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import re
import sys
from contextlib import suppress
from functools import cache
from importlib.machinery import FileFinder, SourceFileLoader
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay import canonical
from assay.build.source import PYTHON, Cache, Source
from assay.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import CodeType

RECIPE = 1
"""Raise this number when a change in how jobs are fingerprinted, stored or run can change a result."""

WRAPPER = "assay.build.job"
EXCLUDED = frozenset(
    {
        WRAPPER,
        "assay.build.store",
        "assay.build.upstream",
        "assay.build.damage",
        "assay.build.fingerprint",
        "assay.build.interruption",
    }
)

LOCK = Path("envs/base.lock")
CACHE = Path(".snakemake/assay-fingerprint.json")

COMPILED = Path(".cache/code")
"""Compiled modules of the checkout, by the sha256 of their source and of their path."""

_MAGIC = hashlib.sha256(MAGIC_NUMBER + f"{sys.version} {sys.flags.optimize}".encode()).digest()[:16]
"""Names the interpreter that compiled a file of `COMPILED`."""


def fingerprint(roots: Iterable[str], root_dir: str | Path) -> str:
    """Return the hash (hex) of all source that a job with these roots can depend on.

    Each file is read once in a process: later calls use what was read before, until `forget` is called.

    Args:
        roots: Dotted names of modules, and paths of programs relative to the checkout.
        root_dir: The checkout.

    Raises:
        SourceError: If a root does not exist, or a source cannot be read.
    """
    return _fingerprint(_real(root_dir), tuple(sorted(set(roots))))


def closure(roots: Iterable[str], root_dir: str | Path) -> dict[str, str]:
    """Return the digest of every first-party module that the roots import, directly or indirectly.

    The keys are names of modules; the key of a program is its path in the checkout.

    Raises:
        SourceError: If a root does not exist, or a source cannot be read.
    """
    checkout = _checkout(_real(root_dir))
    return {name: checkout.digest(name) for name in checkout.reachable(tuple(roots))}


def kernels(roots: Iterable[str], root_dir: str | Path) -> str:
    """Return the hash (hex) of the sources that numba compiles: modules that import numba, and their imports.

    Numba's own cache checks the file that holds a function, not the functions inlined into it. If the cache
    folder is named by this hash, it holds only code compiled from exactly this source.
    """
    checkout = _checkout(_real(root_dir))
    # Jobs that choose different entries share what was compiled.
    roots = tuple({root.partition("#")[0] for root in roots})
    names = checkout.reachable(roots)
    compiled = tuple(name for name in names if checkout.source(name).compiles)
    names = checkout.reachable(compiled, packages=_packages(roots))
    return canonical.digest([RECIPE, PYTHON, {name: checkout.digest(name) for name in names}])


def guard(roots: Iterable[str], root_dir: str | Path) -> None:
    """Check after the work of a job that it loaded only source that its roots reach, and from this checkout.

    Child processes are not checked: the parent must import what they import, or declare it as a root.

    Raises:
        SourceError: If a module was loaded that the roots do not reach or that lies outside of the checkout,
            or a data file was edited meanwhile.
    """
    checkout = _checkout(_real(root_dir))
    roots = tuple(roots)
    packages = _packages(roots)
    names = checkout.reachable(roots)
    declared = {checkout.path(name) for name in names + checkout.wrapper()}
    environment = _Environment()
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        first_party = name.partition(".")[0] in packages
        # Paths are compared as text first, since resolving the path of every module would take long.
        if not file or not (first_party or file.startswith(f"{checkout.root}{os.sep}")):
            continue
        if not first_party and environment.holds(file):
            continue
        path = Path(file).resolve()
        if path in declared:
            continue
        if _belongs(path, checkout.root):
            raise SourceError(
                f"undeclared source: {path.relative_to(checkout.root)} was loaded, "
                f"but does not follow from {', '.join(roots)}",
                "import it with an import statement in one of them, or add it to the roots of the rule",
            )
        if first_party:
            raise SourceError(
                f"{name} was imported from {path}, not from the checkout {checkout.root}",
                "run a program with the environment of its own checkout (make setup), without PYTHONPATH",
            )
    for name in names:
        checkout.check_data(name)


class _Environment:
    """Tells which files are installed in the environment; the path of each folder is resolved once.

    An environment inside the checkout holds more than a thousand of the modules that a job has loaded, and
    resolving the path of each takes longer than most of what a short job does.
    """

    def __init__(self) -> None:
        self._prefix = f"{os.path.realpath(sys.prefix)}{os.sep}"
        self._folders: dict[str, bool] = {}

    def holds(self, file: str) -> bool:
        """Whether a file is in the environment, and is no link to somewhere else."""
        folder = file.rpartition(os.sep)[0]
        if folder not in self._folders:
            self._folders[folder] = f"{os.path.realpath(folder)}{os.sep}".startswith(self._prefix)
        return self._folders[folder] and not os.path.islink(file)  # noqa: PTH114  a Path for each of a thousand files is slow


def pin(roots: Iterable[str], root_dir: str | Path) -> None:
    """Make later imports of the checkout's modules load exactly the source that was fingerprinted.

    The import of a module that was edited since then raises `SourceError`. Bytecode files are ignored, since
    Python accepts them by the time and size of their source, and an edit can leave both unchanged. Compiled
    code is kept in `COMPILED` by the hash of its source instead.
    """
    checkout = _checkout(_real(root_dir))
    expected = {checkout.path(name): checkout.sha256(name) for name in checkout.reachable(tuple(roots))}

    class Pinned(SourceFileLoader):
        def get_code(self, fullname: str) -> CodeType:
            text = self.get_data(self.path)
            sha256 = hashlib.sha256(text).hexdigest()
            if expected.get(Path(self.path).resolve(), sha256) != sha256:
                raise SourceError(f"{self.path} was edited while the job ran", "run again")
            kept = (
                checkout.root / COMPILED / f"{sha256}-{hashlib.sha256(self.path.encode()).hexdigest()[:16]}"
            )
            return _compiled(kept) or _keep(self.source_to_code(text, self.path), kept)

    def hook(folder: str) -> FileFinder:
        if not _belongs(Path(folder).resolve(), checkout.root):
            raise ImportError
        return FileFinder(folder, (Pinned, [".py"]))

    sys.path_hooks.insert(0, hook)
    sys.path_importer_cache.clear()


def _compiled(kept: Path) -> CodeType | None:
    """Read compiled code; returns None if the file is missing, damaged, or written by another Python."""
    try:
        data = kept.read_bytes()
    except OSError:
        return None
    magic, sha256, code = data[:16], data[16:48], data[48:]
    if magic != _MAGIC or hashlib.sha256(code).digest() != sha256:
        return None
    loaded: CodeType = marshal.loads(code)
    return loaded


def _keep(code: CodeType, kept: Path) -> CodeType:
    """Write compiled code to a file, and return the code even if the file cannot be written."""
    data = marshal.dumps(code)
    part = kept.with_name(f"{kept.name}.{os.getpid()}.part")
    with suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(_MAGIC + hashlib.sha256(data).digest() + data)
        part.replace(kept)
    return code


def forget() -> None:
    """Drop everything that this process has read, so that the next call reads the files again."""
    _checkout.cache_clear()
    _fingerprint.cache_clear()
    _installed.cache_clear()


class Checkout:
    """One state of a checkout's source; each file is read at most once, when it is first needed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._paths: dict[str, Path | None] = {}
        self._sources: dict[str, tuple[Source, str]] = {}
        self._data: dict[Path, str] = {}
        self._environments: dict[Path, list[Any]] = {}
        self._cache = Cache(root / CACHE, RECIPE)

    def wrapper(self) -> tuple[str, ...]:
        """Return the job wrapper and the modules that it imports, which every job loads."""
        return self.reachable((WRAPPER,), excluded=frozenset()) if self.find(WRAPPER) else ()

    def reachable(
        self,
        roots: tuple[str, ...],
        *,
        packages: frozenset[str] | None = None,
        excluded: frozenset[str] = EXCLUDED,
    ) -> tuple[str, ...]:
        """Return the names of all modules and programs that the roots import, and of the roots, sorted.

        Args:
            roots: Dotted names of modules, which may choose entries (`module#entry`), and paths of programs.
            packages: The top-level packages that are followed; by default those that are first-party.
            excluded: The modules that are left out.

        Raises:
            SourceError: If a root does not exist, or a source cannot be read.
        """
        packages = packages or _packages(roots)
        reached: set[str] = set()
        waiting: list[str] = []
        chosen: dict[str, set[str]] = {}
        for given in roots:
            root, _, entry = given.partition("#")
            if entry and root not in roots:  # a root without an entry is used whole
                chosen.setdefault(root, set()).add(entry)
            name = self._program(root) if _is_program(root) else root
            if self.find(name) is None:
                raise SourceError(
                    f"the root {root} is no module or program of {self.root}",
                    "correct the roots of the rule, or write that module",
                )
            waiting += [name] if _is_program(name) else _with_parents(name)
        while waiting:
            name = waiting.pop()
            if name in reached or name in excluded or self.find(name) is None:
                continue
            reached.add(name)
            for imported in self._imports(name, chosen.get(name)):
                if imported.partition(".")[0] in packages:
                    waiting += _with_parents(imported)
        self._cache.save()
        return tuple(sorted(reached))

    def find(self, name: str) -> Path | None:
        """Return the file of a module or program, or `None` if the checkout has none."""
        if name not in self._paths:
            self._paths[name] = next((path for path in self._places(name) if path.is_file()), None)
        return self._paths[name]

    def path(self, name: str) -> Path:
        """Return the file of a module or program.

        Raises:
            SourceError: If the checkout has no such file.
        """
        path = self.find(name)
        if path is None:
            raise SourceError(f"{name} is not in {self.root}", "restore it, or correct the roots of the rule")
        return path

    def source(self, name: str) -> Source:
        """Return the digest, the imports and the data files of a module or program."""
        return self._read(name)[0]

    def sha256(self, name: str) -> str:
        """Return the sha256 (hex) of the source text of a module or program."""
        return self._read(name)[1]

    def digest(self, name: str) -> str:
        """Return the digest (hex) of a module's code and of its data files."""
        source = self.source(name)
        if not source.data:
            return source.digest
        return canonical.digest(
            [source.digest, {file: self._data_digest(name, file) for file in source.data}]
        )

    def check_data(self, name: str) -> None:
        """Check that no data file of a module has changed since it was first read.

        Raises:
            SourceError: If a data file has changed.
        """
        for file in self.source(name).data:
            path = self._data_path(name, file)
            if _sha256(path, f"a data file of {name}") != self._data_digest(name, file):
                raise SourceError(f"{path} was edited while the job ran", "run again")

    def locks(self, names: Iterable[str]) -> list[Path]:
        """Return the lock files among the data files of these modules, sorted."""
        paths = {self._data_path(name, file) for name in names for file in self.source(name).data}
        return sorted(path for path in paths if path.suffix == ".lock")

    def environment(self, lock: Path) -> list[Any]:
        """Return the digest of a lock file without its comments, and the packages that deviate from it.

        The deviating packages are a mapping from name to installed version. The list is empty if there is no
        lock file.
        """
        if lock not in self._environments:
            self._environments[lock] = _environment(lock) if lock.exists() else []
        return self._environments[lock]

    def _places(self, name: str) -> Iterator[Path]:
        """Yield the paths where a module or program may be, in the order in which Python searches."""
        if _is_program(name):
            yield self.root / name
            return
        for folder in (self.root / "src", self.root):
            path = folder.joinpath(*name.split("."))
            yield path / "__init__.py"
            yield path.with_name(f"{path.name}.py")

    def _program(self, root: str) -> str:
        path = (self.root / root).resolve()
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else root

    def _read(self, name: str) -> tuple[Source, str]:
        if name not in self._sources:
            path = self.path(name)
            text = _bytes(path, f"the source of {name}")
            sha256 = hashlib.sha256(text).hexdigest()
            source = self._cache.read(text, sha256, path, program=_is_program(name))
            self._sources[name] = source, sha256
        return self._sources[name]

    def _imports(self, name: str, chosen: set[str] | None) -> Iterator[str]:
        """Yield the absolute dotted names that a module imports; each is a module or a name in a module.

        Args:
            name: The module.
            chosen: The entries of its registries that are used; `None` for all.
        """
        package = [] if _is_program(name) else name.split(".")
        if package and self.path(name).name != "__init__.py":
            package.pop()
        source = self.source(name)
        for written in source.imports if chosen is None else source.chosen(chosen):
            relative = written.lstrip(".")
            level = len(written) - len(relative)
            parts = package[: len(package) + 1 - level] if level else []
            parts += relative.split(".") if relative else []
            if parts[-1:] == ["*"]:  # imports what `__all__` lists, which may be any module of the package
                parts.pop()
                path = self.find(".".join(parts))
                if path is not None and path.name == "__init__.py":
                    for file in sorted(path.parent.glob("*")):
                        yield ".".join([*parts, file.name.removesuffix(".py")])
            if parts:
                yield ".".join(parts)

    def _data_digest(self, name: str, file: str) -> str:
        path = self._data_path(name, file)
        if path not in self._data:
            self._data[path] = _sha256(path, f"a data file of {name}")
        return self._data[path]

    def _data_path(self, name: str, file: str) -> Path:
        module = self.path(name)
        path = (module.parent / file).resolve()
        if not _belongs(path, self.root):
            raise SourceError(
                f"{module}: DATA_FILES names {file}, which lies outside of the checkout",
                "keep data that results depend on inside the checkout",
            )
        return path


@cache
def _checkout(root: Path) -> Checkout:
    return Checkout(root)


@cache
def _fingerprint(root: Path, roots: tuple[str, ...]) -> str:
    checkout = _checkout(root)
    names = checkout.reachable(roots)
    modules = {name: checkout.digest(name) for name in names}
    environments = [checkout.environment(lock) for lock in (root / LOCK, *checkout.locks(names))]
    return canonical.digest([RECIPE, PYTHON, modules, *environments])


def _packages(roots: Iterable[str]) -> frozenset[str]:
    """Return the top-level packages that are first-party for these roots."""
    return frozenset({"assay", *(root.partition(".")[0] for root in roots if not _is_program(root))})


def _with_parents(name: str) -> list[str]:
    """Return the name of a module and those of its parent packages: `a.b.c`, `a.b`, `a`."""
    parts = name.split(".")
    return [".".join(parts[:n]) for n in range(len(parts), 0, -1)]


def _is_program(root: str) -> bool:
    return root.endswith(".py") or "/" in root


def _belongs(path: Path, root: Path) -> bool:
    """Whether a resolved path belongs to the checkout, and not to an environment installed inside it."""
    if not path.is_relative_to(root):
        return False
    prefix = Path(sys.prefix).resolve()
    if prefix.is_relative_to(root) and path.is_relative_to(prefix):
        return False
    return "site-packages" not in path.relative_to(root).parts


def _environment(lock: Path) -> list[Any]:
    text = _bytes(lock, "the lock file").decode()
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    installed = _installed()
    deviating = {}
    for line in lines:
        pinned = re.match(r"([\w.-]+)==([^\s;\\]+)", line)
        if pinned and installed.get(_normal(pinned[1]), pinned[2]) != pinned[2]:
            deviating[_normal(pinned[1])] = installed[_normal(pinned[1])]
    return [hashlib.sha256("\n".join(lines).encode()).hexdigest(), deviating]


@cache
def _installed() -> dict[str, str]:
    """Return the version of every installed package by its normalized name, read from names of folders.

    `importlib.metadata` gives the same result and takes a hundred times as long.
    """
    versions: dict[str, str] = {}
    for folder in map(Path, sys.path):
        if folder.name in ("site-packages", "dist-packages") and folder.is_dir():
            for entry in os.listdir(folder):  # noqa: PTH208 (only names are needed)
                if entry.endswith(".dist-info"):
                    name, _, version = entry.removesuffix(".dist-info").rpartition("-")
                    versions.setdefault(_normal(name), version)
    return versions


def _normal(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


def _real(root_dir: str | Path) -> Path:
    return Path(root_dir).resolve()


def _sha256(path: Path, what: str) -> str:
    return hashlib.sha256(_bytes(path, what)).hexdigest()


def _bytes(path: Path, what: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise SourceError(
            f"{what} cannot be read: {path}: {problem.strerror}", "restore it, or drop what mentions it"
        ) from problem
