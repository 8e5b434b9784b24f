"""Typed configuration: what `all` builds, who plays, and what a suite lets a user set.

The models here are the only source: the JSON schemas in `config/schemas/` are made from them by
`assay config schema`, and a test holds both together. Every error of all files is reported at once, each
with its file, its key and what to do. Programs of the workflow never import this module: they get their
slice of it as JSON.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from assay.errors import ConfigError
from assay.suite import Suite, suite

NAME = r"[a-z0-9][a-z0-9._-]*"
"""Names of suites, sets and agents; the Snakefile constrains its wildcards with the same pattern."""

B = TypeVar("B", bound=BaseModel)
M = TypeVar("M", bound="Model")

Name = Annotated[str, StringConstraints(pattern=f"^{NAME}$")]


class Model(BaseModel):
    """A section of the configuration: unknown keys are refused, values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SuiteEntry(Model):
    """A suite that `all` builds."""

    settings: Path = Field(description="the suite's own file")
    package: str | None = Field(None, description="where its rooms are; assay.suites.<name> by default")
    tasks: Path = Field(Path("tasks"), description="folder of frozen sets: <tasks>/<suite>/<set>/")


class Project(Model):
    """config/config.yaml: what `all` builds."""

    suites: dict[Name, SuiteEntry] = Field(description="the suites, each with its own file")
    agents: Path = Field(Path("config/agents.yaml"), description="the file that lists the agents")
    recordings: Path = Field(Path("recordings"), description="folder of recorded model sessions")
    seconds_per_job: float = Field(
        60, gt=0, description="work aimed at for one job; with the costs it gives the size of a shard"
    )
    shard_size: Annotated[int, Field(ge=1)] | Literal["all"] | None = Field(
        None, description="items in a shard, overriding the costs; results do not depend on it"
    )


class Generated(Model):
    """A set that is generated on the spot instead of being compared with frozen files."""

    count: int = Field(ge=1, description="how many tasks")


class Costs(Model):
    """Seconds an item takes on one core: they size the shards and show in no result."""

    task: float = Field(1, gt=0)
    calibration: float = Field(1, gt=0)
    check: float = Field(1, gt=0)
    episode: float = Field(0.1, gt=0)


class SuiteFile(Model):
    """config/<suite>.yaml."""

    sets: dict[Name, Literal["frozen", "private"] | Generated] = Field(
        description="task sets: frozen (files in tasks/, compared byte for byte with what the generator "
        "makes), private (the same in private/, see `make fresh`), or {count: N} (no files)"
    )
    costs: Costs = Costs()
    settings: dict[str, Any] = Field(default={}, description="the suite's own settings, by stage")


class Limits(Model):
    """What an episode of a model may use up."""

    turns: int = Field(100, ge=1)
    tokens: int = Field(1_000_000, ge=1)


class FakeTransport(Model):
    """A scripted model for tests and demonstrations: no network, no key."""

    kind: Literal["fake"]
    script: str = Field(description="the script's name, or package.module:NAME")
    seed: int = 0


class AgentEntry(Model):
    """What solvers and models have in common."""

    suites: dict[Name, Literal["all"] | list[Name]] = Field(description="suites, and the sets of each")
    attempts: int = Field(1, ge=1, description="episodes a task")


class SolverEntry(AgentEntry):
    """A suite's reference algorithm."""

    kind: Literal["solver"]
    solver: str | None = Field(None, description="its name in the suite's SOLVERS; the agent's by default")
    log: Literal["full", "digest"] = Field(
        "full", description="digest: keep no events; scores and flags are made in the same job"
    )
    seconds: float | None = Field(None, gt=0, description="of an episode; the suite's cost by default")


class ModelEntry(AgentEntry):
    """A language model: played by `assay record`, replayed by the workflow."""

    kind: Literal["model"]
    transport: FakeTransport = Field(description="how the model is reached")
    limits: Limits = Limits()


AgentSpec = Annotated[SolverEntry | ModelEntry, Field(discriminator="kind")]


class Agents(Model):
    """config/agents.yaml."""

    agents: dict[Name, AgentSpec]


class SuiteConfig(Model):
    """One suite with everything known about it: its entry, its file and its validated settings."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    suite: Suite
    entry: SuiteEntry
    file: SuiteFile
    settings: dict[str, dict[str, Any]]


class Config(Model):
    """The whole configuration, validated."""

    project: Project
    agents: dict[str, SolverEntry | ModelEntry]
    suites: dict[str, SuiteConfig]


SCHEMAS: Mapping[str, type[Model]] = {"config": Project, "agents": Agents, "suite": SuiteFile}
"""The models of the files, by the name of their schema in `config/schemas/`."""


def load(path: Path = Path("config/config.yaml"), override: Mapping[str, Any] | None = None) -> Config:
    """Read and validate the project's file, the agents' file and each suite's file.

    `override` replaces top-level keys of the project's file (Snakemake's `--config`). Relative paths are
    relative to the working directory. Raises one `ConfigError` that lists every problem of every file.
    """
    problems: list[str] = []
    project = _read(Project, path, problems, override)
    if project is None:
        raise _error(problems)
    agents = _read(Agents, project.agents, problems)
    suites = {}
    for name, entry in sorted(project.suites.items()):
        file = _read(SuiteFile, entry.settings, problems)
        found = suite(name, entry.package)
        if not _exists(found):
            problems.append(
                f"{path}: suites.{name}: there is no package {found.package}"
                + _nearest(name, _known_suites(), "suites of Assay")
            )
        elif file is not None:
            settings = _settings(found, file, entry.settings, problems)
            suites[name] = SuiteConfig(suite=found, entry=entry, file=file, settings=settings)
    if agents is not None:
        _check_agents(agents.agents, suites, project, problems)
    if problems or agents is None:
        raise _error(problems)
    return Config(project=project, agents=agents.agents, suites=suites)


def _check_agents(
    agents: Mapping[str, SolverEntry | ModelEntry],
    suites: Mapping[str, SuiteConfig],
    project: Project,
    problems: list[str],
) -> None:
    """An agent may name suites that this configuration leaves out, but no set that a suite does not have."""
    for name, agent in agents.items():
        for suite_name, sets in agent.suites.items():
            if suite_name not in suites or sets == "all":
                continue
            known = suites[suite_name].file.sets
            for task_set in sets:
                if task_set not in known and not _has_frozen(suites[suite_name], task_set):
                    problems.append(
                        f"{project.agents}: agents.{name}.suites.{suite_name}: the suite has no set "
                        f"{task_set!r}" + _nearest(task_set, known, "sets")
                    )


def _has_frozen(config: SuiteConfig, task_set: str) -> bool:
    return (config.entry.tasks / config.suite.name / task_set).is_dir()


def _read(
    model: type[M], path: Path, problems: list[str], override: Mapping[str, Any] | None = None
) -> M | None:
    """One file as its model, or null with the problems noted."""
    try:
        value = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        problems.append(f"{path}: there is no such file; write it, or correct the path that names it")
        return None
    except (OSError, UnicodeDecodeError) as problem:
        problems.append(f"{path}: cannot be read ({problem})")
        return None
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        problems.append(f"{path}: {place}not YAML ({getattr(problem, 'problem', problem)})")
        return None
    if not isinstance(value, dict):
        problems.append(f"{path}: must hold a mapping of keys to values")
        return None
    return _validate(model, {**value, **(override or {})}, str(path), problems)


def _validate(model: type[B], value: Any, place: str, problems: list[str]) -> B | None:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        for problem in error.errors():
            problems.append(_describe(model, problem, place))
        return None


def _describe(model: type[BaseModel], problem: Any, place: str) -> str:
    """One line: file, key, what is wrong, what would be right."""
    path = [str(key) for key in problem["loc"]]
    if problem["type"] == "extra_forbidden":
        return f"{place}: {'.'.join(path)}: unknown key" + _nearest(
            path[-1], _fields_at(model, path[:-1]), "keys here"
        )
    got = "" if problem["type"] == "missing" else f" (got {problem['input']!r})"
    return f"{place}: {'.'.join(path) or '(file)'}: {problem['msg'][:1].lower()}{problem['msg'][1:]}{got}"


def _fields_at(model: type[BaseModel], path: list[str]) -> list[str]:
    """The keys that a model accepts at a place, found by walking its JSON schema."""
    schema = model.model_json_schema()
    nodes = [schema]
    for key in path:
        nodes = [
            child
            for node in (_resolve(schema, n) for n in _alternatives(schema, nodes))
            for child in ([node.get("properties", {}).get(key), node.get("additionalProperties")])
            if isinstance(child, dict)
        ] or nodes
    return sorted(
        {
            name
            for node in _alternatives(schema, nodes)
            for name in _resolve(schema, node).get("properties", {})
        }
    )


def _alternatives(schema: dict[str, Any], nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for node in (_resolve(schema, n) for n in nodes):
        found += _alternatives(schema, node.get("anyOf") or node.get("oneOf") or []) or [node]
    return found


def _resolve(schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    reference = node.get("$ref")
    return schema["$defs"][reference.rsplit("/", 1)[1]] if reference else node


def _nearest(word: str, known: Iterable[str], what: str) -> str:
    known = sorted(known)
    if not known:
        return ""
    close = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; {what}: {', '.join(known)}"


def _settings(found: Suite, file: SuiteFile, path: Path, problems: list[str]) -> dict[str, dict[str, Any]]:
    model = found.room("settings").Settings
    value = _validate(model, file.settings, f"{path}: settings", problems)
    return {} if value is None else value.model_dump(mode="json")


def _exists(found: Suite) -> bool:
    try:
        return found.has("settings")
    except ModuleNotFoundError:
        return False


def _known_suites() -> list[str]:
    folder = Path(__file__).parent / "suites"
    return [p.name for p in folder.iterdir() if (p / "settings.py").exists()]


def _error(problems: list[str]) -> ConfigError:
    listed = "\n  ".join(problems)
    number = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    return ConfigError(
        f"the configuration has {number}:\n  {listed}",
        "mend the lines above; config/schemas/ says what each file may hold",
    )
