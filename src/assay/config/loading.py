"""Read the configuration. One error reports every problem of all files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from assay import canonical
from assay.config import yaml as strict_yaml
from assay.config.agents import PROBES, Agents, JudgeEntry, ModelEntry, SolverEntry
from assay.config.base import Model
from assay.config.models import (
    Admitted,
    Config,
    Defect,
    Defects,
    Generated,
    Prices,
    Project,
    Released,
    SuiteConfig,
    SuiteFile,
)
from assay.config.places import PACKAGED, is_checkout, not_a_checkout
from assay.config.problems import all_problems, nearest, validate
from assay.config.secret import SUFFIX
from assay.errors import UnknownName
from assay.suite import Suite, solver_room
from assay.suite import suite as find_suite

M = TypeVar("M", bound=Model)

DEFAULT = Path("config/config.yaml")
"""The project's file, if no other is given."""


def load(path: Path = DEFAULT, override: Mapping[str, Any] | None = None, root: Path | None = None) -> Config:
    """Read and validate the project's file, the agents' file and each suite's file.

    Args:
        path: The project's file. Where the working directory holds no project, the default is the file that
            the installed package brings along.
        override: Values that replace top-level keys of that file (Snakemake's `--config`).
        root: The folder to which this path, and those in the files, are relative; by default the working
            directory.

    Raises:
        ConfigError: If any file has a problem. The message lists every problem of every file.
        PlatformError: If the default file does not exist and the working directory is not a checkout.
    """
    installed = False
    if root is None and path == DEFAULT and not path.exists() and not is_checkout(Path()):
        if not PACKAGED.is_dir():
            raise not_a_checkout()
        root, installed = PACKAGED, True
    root = root or Path()
    path = root / path
    problems: list[str] = []
    given = {**_parsed(path, problems), **(override or {})}
    if problems:
        raise all_problems(problems)
    project = validate(Project, given, str(path), problems)
    if project is None:
        _check_named(path, given, problems)
        raise all_problems(problems)
    project = _below(root, project, own=not installed)
    agents = read(Agents, project.agents, problems)
    suites = {}
    for name, entry in sorted(project.suites.items()):
        suite = find_suite(name, entry.package)
        file, settings = _read_suite(path, suite, entry.settings, problems)
        if file is not None:
            defects = _read_defects(root, entry.tasks, suite, file, problems)
            suites[name] = SuiteConfig(
                suite=suite, entry=entry, file=file, settings=settings, defects=defects
            )
    prices = read(Prices, project.prices, problems) if project.prices.exists() else None
    players, judges = _apart(agents)
    admitted = _admitted(project, players, judges, problems)
    players |= {name: each.entry for name, each in admitted.items()}
    _check_agents(players, suites, project, problems)
    _check_judges(judges, players, suites, project, problems)
    if problems:
        raise all_problems(problems)
    return Config(
        project=project,
        agents=players,
        admitted=admitted,
        prices={} if prices is None else prices.models,
        judges=judges,
        suites=suites,
    )


def _below(root: Path, project: Project, *, own: bool) -> Project:
    """Return a project whose paths start at a folder.

    Args:
        root: The folder.
        project: The project, with paths as its file gives them.
        own: Whether the folder is the user's. What is written, recordings and ledger, is kept in the working
            directory if the project is the one of the installed package.
    """
    if root == Path():
        return project
    suites = {
        name: entry.model_copy(update={"settings": root / entry.settings, "tasks": root / entry.tasks})
        for name, entry in project.suites.items()
    }
    moved: dict[str, Any] = {
        "suites": suites,
        "agents": root / project.agents,
        "prices": root / project.prices,
    }
    if own:
        moved |= {"recordings": root / project.recordings, "ledger": root / project.ledger}
    return project.model_copy(update=moved)


def suite_of(config: Config, name: str, path: Path) -> SuiteConfig:
    """The suite with this name.

    Args:
        config: The configuration.
        name: The name of the suite.
        path: The file from which the configuration was read, for the error message.

    Raises:
        UnknownName: If the configuration has no such suite.
    """
    if name not in config.suites:
        raise UnknownName(
            f"{path} has no suite {name!r}",
            f"its suites are {', '.join(config.suites)}: add it there, or give another --config",
        )
    return config.suites[name]


def _check_named(path: Path, given: Mapping[str, Any], problems: list[str]) -> None:
    """Append the problems of the other files to `problems`, as far as the faulty project file names them."""
    if isinstance(agents := given.get("agents"), str):
        read(Agents, Path(agents), problems)
    suites = given.get("suites")
    for name, entry in suites.items() if isinstance(suites, dict) else ():
        if isinstance(entry, dict) and isinstance(entry.get("settings"), str):
            package = entry.get("package")
            suite = find_suite(str(name), package if isinstance(package, str) else None)
            _read_suite(path, suite, Path(entry["settings"]), problems)


def _read_suite(
    project: Path, suite: Suite, path: Path, problems: list[str]
) -> tuple[SuiteFile | None, dict[str, dict[str, Any]]]:
    """Read a suite's file and its settings; problems in either are appended to `problems`."""
    file = read(SuiteFile, path, problems)
    for name, kind in file.sets.items() if file is not None else ():
        if not isinstance(kind, Generated) and (kind == "private") != name.endswith(SUFFIX):
            problems.append(
                f"{path}: sets.{name}: a private set, and no frozen one, has a name that ends in {SUFFIX}"
            )
        if isinstance(kind, Released) and _exists(suite) and name in suite.room("tasks").SETS:
            problems.append(
                f"{path}: sets.{name}: the suite declares a set of that name; choose another name"
            )
    if not _exists(suite):
        problems.append(
            f"{project}: suites.{suite.name}: there is no package {suite.package} with a room `settings`"
            + nearest(suite.name, _known_suites(), "suites of Assay")
        )
        return file, {}
    return file, {} if file is None else _settings(suite, file, path, problems)


def _read_defects(
    root: Path, tasks: Path, suite: Suite, file: SuiteFile, problems: list[str]
) -> tuple[Defect, ...]:
    """Read the known defects of a suite's tasks; the result is empty if the suite has no such file."""
    path = root / "config/defects" / f"{suite.name}.yaml"
    listed = read(Defects, path, problems) if path.exists() else None
    for at, defect in enumerate(listed.defects if listed is not None else ()):
        for task_set in dict.fromkeys(name.partition("/")[0] for name in defect.tasks):
            if task_set not in file.sets and not (tasks / suite.name / task_set).is_dir():
                problems.append(
                    f"{path}: defects.{at}.tasks: the suite has no set {task_set!r}"
                    + nearest(task_set, file.sets, "sets")
                )
        if defect.identical and len(set(defect.tasks)) < 2:
            problems.append(f"{path}: defects.{at}.tasks: identical tasks are two at least")
    return () if listed is None else tuple(listed.defects)


def _check_agents(
    agents: Mapping[str, SolverEntry | ModelEntry],
    suites: Mapping[str, SuiteConfig],
    project: Project,
    problems: list[str],
) -> None:
    """Check that agents name only existing sets.

    They may name suites that this configuration leaves out.
    """
    for name, agent in agents.items():
        if isinstance(agent, SolverEntry):
            problems += [
                f"{project.agents}: agents.{name}: {problem}" for problem in _role_problems(name, agent)
            ]
        fresh = agent.fresh if isinstance(agent, SolverEntry) else {}
        named = [("suites", *entry) for entry in agent.suites.items()]
        for key, suite_name, sets in [*named, *(("fresh", *entry) for entry in fresh.items())]:
            if suite_name not in suites or sets == "all":
                continue
            known = suites[suite_name].file.sets
            for task_set in sets:
                if task_set not in known and not _has_frozen(suites[suite_name], task_set):
                    problems.append(
                        f"{project.agents}: agents.{name}.{key}.{suite_name}: the suite has no set "
                        f"{task_set!r}" + nearest(task_set, known, "sets")
                    )


ABLE = tuple(f"able-{share}" for share in range(101))
"""Names of planted abilities, by the percentage of right inferences."""


def _role_problems(name: str, agent: SolverEntry) -> Iterator[str]:
    """What is wrong with the role of a solver: names say which solvers measure a set, and how."""
    if agent.scripted and agent.role != "reference":
        yield "`scripted: true` is the old spelling of `role: conduct`; keep `role` alone"
    if isinstance(agent.role, dict):
        for suite in agent.role.keys() - agent.suites.keys():
            yield f"role.{suite}: the agent does not play that suite"
    roles = {agent.role_in(suite) for suite in (*agent.suites, *agent.fresh)}
    for role, fits, names in (
        ("shortcut", name.startswith("shortcut-"), "begin with shortcut-"),
        ("able", name in ABLE, "are able-0 to able-100"),
    ):
        if fits and roles != {role}:
            yield f"role: an agent of that name has `role: {role}` in every suite"
        elif not fits and role in roles:
            yield f"role: names of agents with `role: {role}` {names}"
    if agent.solver and roles & PROBES and solver_room(agent.solver) != solver_room(name):
        yield f"solver: {agent.solver!r} is no {roles.pop()}"


def _apart(agents: Agents | None) -> tuple[dict[str, SolverEntry | ModelEntry], dict[str, JudgeEntry]]:
    """Split the entries into agents that play and judges."""
    players: dict[str, SolverEntry | ModelEntry] = {}
    judges: dict[str, JudgeEntry] = {}
    for name, entry in agents.agents.items() if agents is not None else ():
        if isinstance(entry, JudgeEntry):
            judges[name] = entry
        else:
            players[name] = entry
    return players, judges


def _admitted(
    project: Project,
    players: Mapping[str, SolverEntry | ModelEntry],
    judges: Mapping[str, JudgeEntry],
    problems: list[str],
) -> dict[str, Admitted]:
    """Return the agents that the ledger has admitted (`assay.admission`), by name."""
    admitted = {}
    for path in sorted((project.ledger / "entries").glob("*.json")):
        try:
            value = canonical.loads(path.read_bytes())
        except (ValueError, OSError) as problem:
            problems.append(f"{path}: is no entry of an admitted agent ({type(problem).__name__})")
            continue
        entry = validate(Admitted, value, str(path), problems)
        if path.stem in players or path.stem in judges:
            problems.append(f"{path}: {project.agents} has an agent of that name, too")
        elif entry is not None:
            admitted[path.stem] = entry
    return admitted


def _check_judges(
    judges: Mapping[str, JudgeEntry],
    agents: Mapping[str, SolverEntry | ModelEntry],
    suites: Mapping[str, SuiteConfig],
    project: Project,
    problems: list[str],
) -> None:
    """Check that judges name existing sets, and agents whose events are kept in full."""
    for name, judge in judges.items():
        for suite_name, judging in judge.judges.items():
            if suite_name not in suites:
                continue  # as for agents: a judge may name a suite that this configuration leaves out
            place = f"{project.agents}: agents.{name}.judges.{suite_name}"
            suite = suites[suite_name].suite
            if _exists(suite) and not suite.has("opinion"):
                problems.append(f"{place}: nothing can be judged there: the suite has no room `opinion`")
            known = suites[suite_name].file.sets
            for task_set in judging.sets if judging.sets != "all" else ():
                if task_set not in known:
                    problems.append(
                        f"{place}.sets: the suite has no set {task_set!r}" + nearest(task_set, known, "sets")
                    )
            players = [agent for agent, entry in agents.items() if suite_name in entry.suites]
            for agent in judging.agents if judging.agents != "all" else ():
                if agent not in players:
                    problems.append(
                        f"{place}.agents: no agent {agent!r} plays the suite"
                        + nearest(agent, players, "agents")
                    )
                elif getattr(agents[agent], "log", "full") == "digest":
                    problems.append(
                        f"{place}.agents: {agent} keeps no events (log: digest), and so nothing to judge"
                    )


def _has_frozen(config: SuiteConfig, task_set: str) -> bool:
    return (config.entry.tasks / config.suite.name / task_set).is_dir()


def read(model: type[M], path: Path, problems: list[str]) -> M | None:
    """Read one file as its model; returns `None` if there are problems, which are appended to `problems`."""
    before = len(problems)
    value = _parsed(path, problems)
    return validate(model, value, str(path), problems) if len(problems) == before else None


def _parsed(path: Path, problems: list[str]) -> dict[str, Any]:
    """Return the mapping in a YAML file.

    If the file cannot be read, the mapping is empty and the problem is appended to `problems`.
    """
    try:
        value = strict_yaml.read(path)
    except strict_yaml.Unreadable as problem:
        problems.append(f"{path}: {problem}")
    else:
        if isinstance(value, dict):
            return value
        problems.append(f"{path}: must hold a mapping of keys to values")
    return {}


def _settings(suite: Suite, file: SuiteFile, path: Path, problems: list[str]) -> dict[str, dict[str, Any]]:
    model = suite.room("settings").Settings
    value = validate(model, file.settings, f"{path}: settings", problems)
    return {} if value is None else value.model_dump(mode="json")


def _exists(suite: Suite) -> bool:
    try:
        return suite.has("settings")
    # `ValueError`: the name of the package is empty or begins with a dot.
    except (ImportError, ValueError):
        return False


def _known_suites() -> list[str]:
    folder = Path(__file__).parents[1] / "suites"
    return [p.name for p in folder.iterdir() if (p / "settings.py").exists()]
