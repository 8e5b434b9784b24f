"""Writing of the files of frozen task sets, and search for a task by name."""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

from assay.config.archive import SUMS, Archive, verify, write
from assay.config.loading import load, suite_of
from assay.config.models import Generated, Released, SuiteConfig
from assay.config.option import add_config
from assay.config.released import ReleasedSet
from assay.config.secret import SUFFIX, commitment
from assay.config.sets import find_recipe, find_set
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import open_episode
from assay.errors import AssayError, ConfigError, TaskError, UnknownName
from assay.protocol import Blobs
from assay.sessions.recording import brief_sha256
from assay.suite import Suite
from assay.task import Task, file_name, read_frozen
from assay.validity import commitment as commitments
from assay.writing import write_whole


def folder(config: SuiteConfig, task_set: str) -> Path:
    """Return the folder of a set, in `private/` for a private set and else in the suite's folder of tasks."""
    base = Path("private") if task_set.endswith(SUFFIX) else config.entry.tasks
    return base / config.suite.name / task_set


def tasks_of(config: SuiteConfig, task_set: str, blobs: Blobs) -> list[Task]:
    """Return the tasks of a configured set: generated, or read from its files.

    Args:
        config: The suite's configuration.
        task_set: The name of the set.
        blobs: Receives the pictures and files of tasks that are generated or read from a path.
    """
    entry = config.file.sets[task_set]
    if isinstance(entry, Generated):
        recipe, room = find_recipe(config.suite, task_set), config.suite.room("tasks")
        return [room.generate(recipe, task_set, index, recipe.seed, blobs) for index in range(entry.count)]
    if isinstance(entry, Released):
        return ReleasedSet(config.suite, task_set, entry.path).tasks(blobs)
    return [read_frozen(path) for path in sorted(folder(config, task_set).glob("*.json"))]


def find_task(config: SuiteConfig, name: str, blobs: Blobs) -> Task:
    """Find a task.

    Args:
        config: The suite's configuration.
        name: The task, as set/index, as set/task id, or as the path of its file.
        blobs: Receives the pictures and files of the task, which are generated again.

    Raises:
        UnknownName: If there is no such task.
        TaskError: If the file is not a task of this suite.
    """
    path = Path(name)
    if path.suffix == ".json" and path.is_file():
        task = read_frozen(path)
        if task.suite != config.suite.name:
            raise UnknownName(
                f"{path} is a task of the suite {task.suite}, not of {config.suite.name}",
                f"name that suite: {task.suite} {name}",
            )
        return _checked(config, _with_contents(config, task, None, blobs), path, blobs)
    task_set, _, wanted = name.rpartition("/")
    if task_set not in config.file.sets:
        raise UnknownName(
            f"there is no task {name!r} in the suite {config.suite.name}",
            f"name it as set/index, with a set of {', '.join(config.file.sets)}",
        )
    entry = config.file.sets[task_set]
    if isinstance(entry, Generated):
        recipe = find_recipe(config.suite, task_set)
        indices = range(int(wanted), int(wanted) + 1) if wanted.isdecimal() else range(entry.count)
        for index in indices:
            if index < entry.count:
                room = config.suite.room("tasks")
                made = room.generate(recipe, task_set, index, recipe.seed, blobs)
                if wanted.isdecimal() or made.task_id == wanted:
                    return made
        raise UnknownName(f"{task_set} has no task {wanted!r}", f"give an index below {entry.count}")
    if isinstance(entry, Released):
        read = tasks_of(config, task_set, blobs)
        for index, task in enumerate(read):
            if wanted in (str(index), task.task_id):
                return task
        raise UnknownName(f"{task_set} has no task {wanted!r}", f"give an index below {len(read)}")
    files = sorted(folder(config, task_set).glob("*.json"))
    for index, file in enumerate(files):
        if wanted in (str(index), file.stem):
            return _with_contents(config, read_frozen(file), index, blobs)
    tasks = [read_frozen(file) for file in files]
    for index, task in enumerate(tasks):
        if task.task_id == wanted:
            return _with_contents(config, task, index, blobs)
    raise UnknownName(
        f"{task_set} has no task {wanted!r}", f"its tasks are {', '.join(task.task_id for task in tasks)}"
    )


def _checked(config: SuiteConfig, task: Task, path: Path, blobs: Blobs) -> Task:
    """Return the task, or raise `TaskError` if its world cannot be opened, e.g. after an edit of the file."""
    materials = materials_for(config.suite, blobs)
    try:
        with open_episode(config.suite, task, "nobody", 0, materials) as episode:
            brief_sha256(episode.harness.brief)
    except AssayError:
        raise
    except (
        Exception
    ) as problem:  # of any type; only the type is shown, because the text may contain the hidden truth
        raise TaskError(
            f"{path} cannot be opened as a task of the suite {config.suite.name} ({type(problem).__name__})",
            "restore the file from git, or make the task by its generator",
        ) from problem
    return task


def _with_contents(config: SuiteConfig, task: Task, index: int | None, blobs: Blobs) -> Task:
    """Put the pictures and files of a task into `blobs`, and return the task."""
    if task.blobs:
        recipe = find_set(config.suite, task.task_set)
        if recipe.archived:
            return Archive(folder(config, task.task_set), config.suite.name).with_contents(task, blobs)
        room = config.suite.room("tasks")
        indices = range(recipe.size) if index is None else (index,)
        for at in indices:
            if room.generate(recipe, task.task_set, at, recipe.seed, blobs).task_id == task.task_id:
                break
    return task


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `assay tasks`."""
    parser.add_argument("suite", help="the suite, e.g. petri")
    parser.add_argument("task_set", help=f"a set of its room `tasks`; NAME{SUFFIX} for a private one")
    add_config(parser)
    secret = parser.add_mutually_exclusive_group()
    secret.add_argument(
        "--commit",
        type=Path,
        metavar="FILE",
        help="draw the secret that the set's seed follows from, write it to FILE, and publish its hash",
    )
    secret.add_argument(
        "--reveal", type=Path, metavar="FILE", help="publish the secret in FILE, and print the set's seed"
    )


def main(args: argparse.Namespace) -> int:
    """Generate a set and write its files, or publish the commitment that its seed follows from.

    Raises:
        ConfigError: If a file is frozen with other content, or the secret is not the one committed to.
    """
    config = suite_of(load(args.config), args.suite, args.config)
    suite, name = config.suite, args.task_set
    if args.commit is not None:
        return _commit(folder(config, name), args.commit)
    if args.reveal is not None:
        return _reveal(config, name, args.reveal)
    if find_set(suite, name).archived:
        return _archive(config, name)
    recipe = find_recipe(suite, name)
    place, room, blobs = folder(config, name), suite.room("tasks"), MemoryBlobs()
    texts = {}
    for index in range(recipe.size):
        task = room.generate(recipe, name, index, recipe.seed, blobs)
        room.verify(task)
        texts[place / file_name(index)] = task.frozen_text()
        print(f"{index + 1} of {recipe.size}: {task.task_id}", flush=True)
    for path, text in texts.items():
        if path.is_file() and path.read_bytes() != text.encode():
            raise ConfigError(
                f"{path} is frozen with other content",
                "give the new tasks a new set, and archive this one (docs/recipes/archived-set.md)",
            )
    for path, text in texts.items():
        write_whole(path, text)
    digest = hashlib.sha256("".join(texts.values()).encode()).hexdigest()
    print(f"{place}: {len(texts)} tasks, sha256 {digest}")
    if name.endswith(SUFFIX):
        print(f"publish first: set sha256 {digest}, secret sha256 {commitment()}")
        print(f"then play: add `{name}: private` to the sets in {config.entry.settings}")
    return 0


def _commit(place: Path, file: Path) -> int:
    """Draw the secret of a set, keep it in `file`, and write the commitment into the folder of the set."""
    path = place / commitments.NAME
    for existing in (path, file):
        if existing.exists():
            raise ConfigError(
                f"{existing} exists already; a commitment is made once",
                "name another file for the secret" if existing == file else "give the new tasks a new set",
            )
    secret = commitments.draw()
    file.touch(mode=0o600)
    file.write_bytes(secret)
    commitments.write(place, commitments.commit(secret))
    print(f"{path}: sha256 {commitments.read(place).sha256}")
    print(f"keep {file} outside git, and publish {path} before the generator of the set is finished")
    return 0


def _reveal(config: SuiteConfig, name: str, file: Path) -> int:
    """Publish the secret of a set, and print the seed that follows from it."""
    place = folder(config, name)
    try:
        secret = file.read_bytes()
    except OSError as problem:
        raise ConfigError(
            f"{file} cannot be read ({problem.strerror})", "name the file that --commit wrote"
        ) from problem
    commitments.write(place, commitments.read(place).revealed(secret))
    print(f"{place / commitments.NAME}: the secret is revealed")
    print(f"declare the seed {commitments.seed_of(secret, config.suite.name, name)} in `SETS` of the suite")
    return 0


def _archive(config: SuiteConfig, name: str) -> int:
    """Check the files of an archived set. If the set has no list of its files yet, write the list."""
    suite, place = config.suite, folder(config, name)
    archive = Archive(place, suite.name)
    if (place / SUMS).exists():
        for index, task in enumerate(archive.check(suite.room("tasks"), MemoryBlobs())):
            print(f"{index + 1} of {archive.size}: {task.task_id}", flush=True)
    else:
        _list_files(suite, name, place)
    print(f"{place}: {archive.size} archived tasks are as {SUMS} lists them, and can be played")
    return 0


def _list_files(suite: Suite, name: str, place: Path) -> None:
    """Verify the files of a set without a list, then write the list and the contents that tasks refer to."""
    recipe, room, blobs = find_set(suite, name), suite.room("tasks"), MemoryBlobs()
    contents: dict[str, bytes] = {}
    for index in range(recipe.size):
        path = place / file_name(index)
        if not path.is_file():
            raise TaskError(f"{path} is missing: {name} has {recipe.size} tasks", f"git checkout -- {place}")
        task = read_frozen(path)
        verify(room, task, path)
        if task.blobs:  # only the generator that made the task can make its pictures and files
            if room.generate(recipe, name, index, recipe.seed, blobs) != task:
                raise TaskError(
                    f"{path} shows contents that the present generator does not make",
                    "archive the set in a checkout whose generator makes it, then change the generator",
                )
            contents |= {ref.sha256: blobs.get(ref.sha256) for ref in task.blobs}
        print(f"{index + 1} of {recipe.size}: {task.task_id}", flush=True)
    write(place, recipe.size, contents)
