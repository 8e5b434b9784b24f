"""The wrapper around every job of the workflow: restore the outputs or compute them, then move them in place.

`workflow/scripts/stage.py` is the program of every job. Nothing heavy is imported before the store is asked:
a job that was done before is restored in a few hundredths of a second, without numpy. The command line that
Snakemake prints can be pasted into a shell in the same folder, and does the same.

Outputs are written to a temporary folder and moved to their final paths when all of them are complete, so
that a failure leaves no half-written file. Times, host names, versions and the hashes of the outputs
(`assay.build.damage`) are recorded in `results/provenance/`. No job reads these records.
"""

from __future__ import annotations

import argparse
import atexit
import errno
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from assay import canonical
from assay.build import damage, fingerprint, interruption
from assay.build.interruption import Interrupted
from assay.build.store import FROZEN_VIEW, ROOT, Store, job_key, open_store
from assay.errors import AssayError, ConfigError, NotBuilt, PlatformError, SourceError, WriteError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PARTIAL = ".partial-"
PROGRESS_SECONDS = 5.0

ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
"""The environment variables that are set to 1: sums in several threads have no fixed order."""

REMEDIES = {
    errno.ENOSPC: "free space on that disk (assay store trim, assay store clear), then run again",
    errno.EDQUOT: "free space within your quota (assay store trim, assay store clear), then run again",
    errno.EFBIG: "raise the limit on the size of a file (ulimit -f), then run again",
    errno.EROFS: "work in a checkout on a disk that can be written to",
    errno.EACCES: "give yourself access to that file or folder, then run again",
    errno.EPERM: "give yourself access to that file or folder, then run again",
    errno.EISDIR: "remove the folder that stands where a file belongs, then run again",
    errno.ENOTDIR: "remove the file that stands where a folder belongs, then run again",
    errno.ENAMETOOLONG: "give a shorter name",
    errno.EIO: "check the disk, then run again",
}
"""The remedy for each error of the file system that is not a defect of the program, by `errno`."""


class Job:
    """The argument of a stage: its configuration, its input files and the paths of its outputs.

    Attributes:
        config: The JSON value given by `--config`.
        inputs: The files of each input, by the name of the input, in the order of the command line.
        outputs: The temporary path of each output, by its name. It ends in the final name of the file; a
            stage must not depend on the folder.
        facts: The facts that the stage has added by `note`.
    """

    __slots__ = ("_reported", "_started", "config", "facts", "inputs", "outputs")

    def __init__(
        self, config: Any, inputs: Mapping[str, tuple[Path, ...]], outputs: Mapping[str, Path]
    ) -> None:
        self.config = config
        self.inputs = inputs
        self.outputs = outputs
        self.facts: dict[str, Any] = {}
        self._started = self._reported = time.monotonic()

    def input(self, name: str) -> Path:
        """Return the only file of the input with this name.

        Raises:
            ValueError: If there is no such input, or it does not have exactly one file.
        """
        parts = self.parts(name)
        if len(parts) != 1:
            raise ValueError(f"the input {name} has {len(parts)} files, not one")
        return parts[0]

    def parts(self, name: str) -> tuple[Path, ...]:
        """Return all files of the input with this name, in the order of the command line.

        Raises:
            ValueError: If there is no such input.
        """
        if name not in self.inputs:
            raise ValueError(f"no input {name}: the job has {', '.join(self.inputs) or 'none'}")
        return self.inputs[name]

    def output(self, name: str) -> Path:
        """Return the path to which the output with this name is written.

        Raises:
            ValueError: If there is no such output.
        """
        if name not in self.outputs:
            raise ValueError(f"no output {name}: the job has {', '.join(self.outputs)}")
        return self.outputs[name]

    def note(self, **facts: Any) -> None:
        """Add measured or incidental facts (JSON values) to the job's record in `results/provenance/`."""
        self.facts.update(facts)

    def progress(self, done: int, total: int) -> None:
        """Print the number of finished items, at most once every `PROGRESS_SECONDS`.

        Args:
            done: The number of finished items.
            total: The number of all items of the job.
        """
        now = time.monotonic()
        if now - self._reported >= PROGRESS_SECONDS:
            self._reported = now
            print(f"{done} of {total} after {now - self._started:.0f} s", file=sys.stderr, flush=True)


def run(work: Callable[[Job], None], doc: str | None, arguments: list[str] | None = None) -> NoReturn:
    """Run the job that a command line describes, and end the process.

    Args:
        work: The function that does the work of the job.
        doc: The description of the program in `--help`.
        arguments: The command line; by default, that of this process.
    """
    code = main(work, doc, sys.argv[1:] if arguments is None else arguments)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()  # a log that cannot be written raises here, and the job fails
    # The outputs are in place. A regular exit of the interpreter and its libraries takes up to half a second.
    os._exit(code)


def main(work: Callable[[Job], None], doc: str | None, arguments: list[str]) -> int:
    """Run one job. No temporary file is left, however the job ends.

    Exceptions other than those named below are defects and are not caught.

    Returns:
        0 if the job is done; the exit code of an `AssayError`, which is printed as two lines, also if memory
        ran out or a file could not be written; 128 + the number of the signal that interrupted the job.
    """
    try:
        _check_platform()
        command = _parse(doc, arguments)
        interruption.listen()
        _run(work, command)
    except AssayError as problem:
        return _failed(problem)
    except MemoryError:
        return _failed(
            PlatformError("memory ran out", "run fewer jobs at once (--cores), or make the shards smaller")
        )
    except OSError as failure:
        if failure.errno not in REMEDIES:
            raise
        file = failure.filename or ", ".join(path for _, path in command.outputs)
        return _failed(WriteError(f"{file}: {failure.strerror}", REMEDIES[failure.errno]))
    except Interrupted as interrupted:
        return interrupted.exit_code
    return 0


def _failed(problem: AssayError) -> int:
    print(problem, file=sys.stderr)
    return problem.exit_code


def _check_platform() -> None:
    if sys.platform != "linux":
        raise PlatformError(
            f"Assay runs on Linux only, this is {sys.platform}",
            "use a Linux machine, a container, or the Windows Subsystem for Linux",
        )


def _parse(doc: str | None, arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=doc,
        allow_abbrev=False,
        # `@FILE` reads arguments from a file, one per line: thousands of inputs exceed the length limit of a
        # command line.
        fromfile_prefix_chars="@",
        # Without a width, argparse imports shutil, even if no help is printed.
        formatter_class=lambda prog: argparse.HelpFormatter(prog, width=100),
    )
    parser.add_argument("--roots", required=True, help="where the fingerprint begins, separated by commas")
    parser.add_argument(
        "--fingerprint", help="of the source when the job was planned (default: as it is now)"
    )
    parser.add_argument("--config", default="{}", help="the job's part of the configuration, as JSON")
    parser.add_argument(
        "--in",
        dest="inputs",
        action="append",
        nargs="+",
        default=[],
        metavar=("NAME", "FILE"),
        help="an input and its files; may be repeated",
    )
    parser.add_argument(
        "--out",
        dest="outputs",
        action="append",
        nargs=2,
        required=True,
        metavar=("NAME", "FILE"),
        help="an output and its file; may be repeated",
    )
    command = parser.parse_args(arguments)
    for kind in ("inputs", "outputs"):
        names = [name for name, *_ in getattr(command, kind)]
        if len(set(names)) != len(names):
            parser.error(f"two {kind} have the same name")
    try:
        command.value = canonical.loads(command.config)
    except ValueError as problem:
        parser.error(f"--config is not JSON: {problem}")
    command.roots = tuple(command.roots.split(","))
    return command


def _run(work: Callable[[Job], None], command: argparse.Namespace) -> None:
    started = time.monotonic()
    _check_program()
    source = fingerprint.fingerprint(command.roots, ROOT)
    if command.fingerprint not in (None, source):
        raise SourceError("the source or the environment has changed since this job was planned", "run again")
    inputs = {name: tuple(map(Path, files)) for name, *files in command.inputs}
    for name, files in inputs.items():
        for file in files:
            _check_input(name, file)
    places = {name: Path(file) for name, file in command.outputs}
    store = open_store(ROOT)
    key = _key(store, source, command, inputs, places) if store else None

    with _Partial(places) as partial:
        restored = store.restore(key, partial.paths) if store and key else None
        facts: dict[str, Any] = {}
        if restored is None:
            facts = _work(work, Job(command.value, inputs, partial.paths), command.roots)
        partial.move()
    if store and key and restored is None:
        store.keep(key, places)
    _write_provenance(
        next(iter(places.values())),
        {
            "how": "computed" if restored is None else "restored",
            "fingerprint": source,
            "key": key,
            "outputs": damage.note(places.values()),
            "wall_seconds": round(time.monotonic() - started, 3),
            **_measured(),
            "facts": facts,
        },
    )


def _check_program() -> None:
    """Check that the program and the package that it imports belong to the same checkout.

    They can differ if one environment is used in two checkouts.

    Raises:
        SourceError: If the program lies outside of the checkout of the package.
    """
    program = getattr(sys.modules["__main__"], "__file__", None)
    if program is not None and not Path(program).resolve().is_relative_to(ROOT):
        raise SourceError(
            f"{Path(program).resolve()} runs with the assay of another checkout, {ROOT}",
            "make setup in the checkout of the program, and use the Python of its .venv",
        )


def _check_input(name: str, file: Path) -> None:
    if file.is_dir():
        raise ConfigError(f"the input {name} is a folder: {file}", "list its files in the rule, one by one")
    if not file.exists():
        raise NotBuilt(f"the input {name} is missing: {file}", f"build it: snakemake --cores all {file}")


def _key(
    store: Store,
    source: str,
    command: argparse.Namespace,
    inputs: Mapping[str, tuple[Path, ...]],
    places: Mapping[str, Path],
) -> str:
    return job_key(
        source,
        canonical.dumps(command.value),
        {
            name: [(str(file).removeprefix(FROZEN_VIEW), store.digest(file)) for file in files]
            for name, files in inputs.items()
        },
        {name: place.name for name, place in places.items()},
    )


def _work(work: Callable[[Job], None], job: Job, roots: tuple[str, ...]) -> dict[str, Any]:
    """Do the work in a fixed environment and with the fingerprinted source only.

    Returns:
        The facts that the stage has noted.

    Raises:
        SourceError: If the work loaded source that the fingerprint does not cover.
        WriteError: If the stage did not write one of its outputs.
    """
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    os.environ["MPLBACKEND"] = "Agg"
    os.environ["MPLCONFIGDIR"] = str(ROOT / ".cache/matplotlib")
    os.environ["NUMBA_CACHE_DIR"] = str(ROOT / ".cache/numba" / fingerprint.kernels(roots, ROOT))
    # Python has put the program's folder first, where a program named like a library would hide the library.
    first = [str(ROOT / "src"), str(ROOT)]
    sys.path[:] = first + [entry for entry in sys.path[1:] if entry not in first]
    fingerprint.pin(roots, ROOT)
    work(job)
    fingerprint.guard(roots, ROOT)
    for name, path in job.outputs.items():
        if not path.is_file():
            raise WriteError(
                f"the work ended without writing the output {name} ({path.name})",
                "write every output that the rule declares, also an empty table",
            )
    return job.facts


class _Partial:
    """A context manager that provides a temporary path for each output and removes what is left at exit.

    The paths are on the same disk as the final paths, so that moving an output is atomic.
    """

    def __init__(self, places: Mapping[str, Path]) -> None:
        self._places = places
        self._folders: list[Path] = []
        self.paths: dict[str, Path] = {}

    def __enter__(self) -> _Partial:
        name = f"{PARTIAL}{os.getpid()}-{os.urandom(8).hex()}"
        try:
            for output, place in self._places.items():
                _make_folder(place.parent)
                folder = _base(place) / name
                self._folders.append(folder)
                (folder / output).mkdir(parents=True)
                self.paths[output] = folder / output / place.name
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._remove()

    def move(self) -> None:
        """Move every output to its final path."""
        for output, path in self.paths.items():
            path.replace(self._places[output])

    def _remove(self) -> None:
        for folder in self._folders:
            try:
                for output in self._places:
                    if (folder / output).exists():
                        (folder / output).rmdir()
                folder.rmdir()
            except OSError:  # a folder is not empty: the job failed, or wrote other files than its outputs
                import shutil

                shutil.rmtree(folder, ignore_errors=True)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as problem:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder)) from problem


def _base(place: Path) -> Path:
    """Return the folder in which an output is prepared, e.g. `results` for `results/petri/tasks.parquet`.

    If that is on another disk than the output, or the path is absolute, it is the output's own folder.
    """
    if not place.is_absolute() and len(place.parts) > 1:
        top = Path(place.parts[0])
        if top.stat().st_dev == place.parent.stat().st_dev:
            return top
    return place.parent


def _measured() -> dict[str, Any]:
    """Return the resources that this process used, and the machine and the versions that it ran on."""
    import resource

    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    machine = os.uname()
    facts: dict[str, Any] = {
        "cpu_seconds": round(own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime, 3),
        "max_rss_bytes": max(own.ru_maxrss, children.ru_maxrss) * 1024,
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "host": machine.nodename,
        "machine": machine.machine,
        "python": sys.version.split()[0],
    }
    for package in ("numpy", "scipy", "pandas", "pyarrow", "numba", "matplotlib"):
        if package in sys.modules:
            facts[package] = getattr(sys.modules[package], "__version__", None)
    features = getattr(sys.modules.get("numpy._core._multiarray_umath"), "__cpu_features__", {})
    if features:
        facts["numpy_cpu_features"] = sorted(name for name, present in features.items() if present)
    return facts


def _write_provenance(first_output: Path, facts: Mapping[str, Any]) -> None:
    """Write the job's record to `results/provenance/`. A failure is printed, and does not fail the job."""
    place = Path(os.path.normpath(first_output))
    if place.is_absolute():
        place = place.relative_to(place.anchor)
    file = damage.RECORDS / place.with_name(f"{place.name}.json")
    part = file.with_name(f"{file.name}.{os.getpid()}.part")  # renamed when complete
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(damage.sealed(facts), "utf-8")
        part.replace(file)
    except (OSError, TypeError, ValueError) as problem:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        print(f"no provenance was written: {problem}", file=sys.stderr)
