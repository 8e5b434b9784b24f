"""Typed configuration: what `all` builds, who plays, and what a suite lets a user set.

The models here are the only source: the JSON schemas in `config/schemas/` are made from them by
`assay config schema`, and a test holds both together. Every error of all files is reported at once, each
with its file, its key and what to do. Programs of the workflow never import this module: they get their
slice of it as JSON.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from assay import strict_yaml
from assay.errors import ConfigError, UnknownName
from assay.layout import FROZEN
from assay.secret import SUFFIX
from assay.suite import Suite, suite

NAME = r"[a-z0-9][a-z0-9._-]*"
"""Names of suites, sets and agents; the Snakefile constrains its wildcards with the same pattern."""

B = TypeVar("B", bound=BaseModel)
M = TypeVar("M", bound="Model")

Name = Annotated[str, StringConstraints(pattern=f"^{NAME}$")]


class Model(BaseModel):
    """A section of the configuration: unknown keys are refused, types and values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class SuiteEntry(Model):
    """A suite that `all` builds."""

    settings: Path = Field(strict=False, description="the suite's own file")
    package: str | None = Field(None, description="where its rooms are; assay.suites.<name> by default")
    tasks: Path = Field(
        Path("tasks"), strict=False, description="folder of frozen sets: <tasks>/<suite>/<set>/"
    )


class Project(Model):
    """config/config.yaml: what `all` builds."""

    suites: dict[Name, SuiteEntry] = Field(description="the suites, each with its own file")
    agents: Path = Field(
        Path("config/agents.yaml"), strict=False, description="the file that lists the agents"
    )
    recordings: Path = Field(
        Path("recordings"), strict=False, description="folder of recorded model sessions"
    )
    frozen: str = Field(
        FROZEN, description="the frozen manifest that builds of this configuration are held against"
    )
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


class Requirement(Model):
    """Packages that have no wheel for some platforms, and so are no part of the base."""

    extra: Name = Field(description="the lock that holds them: envs/<extra>.lock")
    packages: list[str] = Field(min_length=1, description="the names under which Python imports them")

    @property
    def missing(self) -> list[str]:
        """The packages that are not installed, found without importing any."""
        return [package for package in self.packages if find_spec(package) is None]


class SuiteFile(Model):
    """config/<suite>.yaml."""

    sets: dict[Name, Literal["frozen", "private"] | Generated] = Field(
        description="task sets: frozen (files in tasks/, compared byte for byte with what the generator "
        "makes), private (the same in private/, see `make fresh`), or {count: N} (no files)"
    )
    requires: Requirement | None = Field(
        None, description="what must be installed beside the base; without it the suite is not built"
    )
    costs: Costs = Costs()
    settings: dict[str, Any] = Field(default={}, description="the suite's own settings, by stage")


class Limits(Model):
    """What an episode of a model may use up; by default what its task set says that it takes."""

    turns: int | None = Field(None, ge=1, description="replies")
    tokens: int | None = Field(None, ge=1, description="read and written, over all replies")
    seconds: float | None = Field(None, gt=0, description="waited for replies; then the status is timeout")
    money: float | None = Field(None, gt=0, description="in the unit of `price`")


class Budget(Model):
    """What a model may use up over all its sessions."""

    tokens: int | None = Field(None, ge=1)
    money: float | None = Field(None, gt=0, description="in the unit of `price`")


class Price(Model):
    """What a million tokens cost, in any one unit of money."""

    tokens_in: float = Field(0.0, ge=0)
    tokens_out: float = Field(0.0, ge=0)


class Decoding(Model):
    """How a model writes; what is left out is left to its provider."""

    temperature: float | None = Field(None, ge=0)
    top_p: float | None = Field(None, gt=0, le=1)
    max_tokens: int | None = Field(None, ge=1, description="of one reply")
    seed: int | None = None
    reasoning_effort: Literal["minimal", "low", "medium", "high"] | None = None


class Access(Model):
    """How a model is reached from this machine; no part of a recording."""

    key: str | None = Field(None, description="the environment variable that holds the key")
    address: str | None = Field(None, description="the environment variable that holds a server's address")
    file: str | None = Field(None, description="a GGUF file, or package:file of an installed package")
    pass_on: list[str] = Field([], description="environment variables that a program is given")
    timeout: float = Field(600, gt=0, description="seconds, for one reply")
    episodes: int = Field(1, ge=1, description="played side by side")
    requests: int = Field(1, ge=1, description="under way at once, at most")
    per_minute: float | None = Field(None, gt=0, description="requests a minute, at most")
    retries: int = Field(5, ge=0, description="further tries of a request whose connection failed")


class FakeTransport(Model):
    """A scripted model for tests and demonstrations: no network, no key."""

    kind: Literal["fake"]
    script: str = Field(description="the script's name, or package.module:NAME")
    seed: int = 0


class ProviderTransport(Model):
    """A remote model, or one on a server of your own, through Inspect AI (extra `models`)."""

    kind: Literal["provider"]
    model: str = Field(description="its name in Inspect's words, e.g. openai/gpt-5 or anthropic/claude-...")


class LocalTransport(Model):
    """A model in this process, a GGUF file run by llama.cpp (extra `local`)."""

    kind: Literal["local"]
    name: str = Field(description="the model's name, for people")
    sha256: str = Field(pattern="^[0-9a-f]{64}$", description="of the file that `access.file` names")
    context: int = Field(8192, ge=256, description="tokens")


class CommandTransport(Model):
    """An agent of the command line: reads the conversation from stdin, writes its reply to stdout."""

    kind: Literal["command"]
    command: list[str] = Field(min_length=1, description="program and arguments")


class RecordedTransport(Model):
    """Whoever played by another door: `assay mcp --record`, `assay import`, a program of Python."""

    kind: Literal["recorded"]


Transport = Annotated[
    FakeTransport | ProviderTransport | LocalTransport | CommandTransport | RecordedTransport,
    Field(discriminator="kind"),
]


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
    scripted: bool = Field(
        False, description="its conduct was written to try the audit or a metric: the report tells it apart"
    )


class LanguageModel(Model):
    """What models that play and models that judge have in common."""

    transport: Transport = Field(description="what the model is, and how it is spoken to")
    decoding: Decoding = Decoding()
    price: Price = Price()
    budget: Budget = Budget()
    access: Access = Access()


class ModelEntry(AgentEntry, LanguageModel):
    """A language model: played by `assay record`, replayed by the workflow."""

    kind: Literal["model"]
    protocol: Literal["json", "native"] = Field(
        "json", description="calls of tools: one JSON object a reply, or the provider's own"
    )
    limits: Limits = Limits()


class Judging(Model):
    """What a judge judges in one suite."""

    role: str = Field(pattern="^[a-z0-9][a-z0-9_-]*$", description="as what: an entry of the suite's ROLES")
    agents: Literal["all"] | list[Name] = Field(
        "all", description="whose episodes; of those whose log is kept in full"
    )
    sets: Literal["all"] | list[Name] = Field("all", description="the task sets")


class QuestionLimits(Model):
    """What one question to a judge may use up."""

    tokens: int = Field(200_000, ge=1, description="of a question, as estimated; a longer one is not asked")


class JudgeEntry(LanguageModel):
    """A language model that judges episodes and plays none: asked by `assay judge`, replayed by the workflow.

    No score, flag or summary rests on what it says.
    """

    kind: Literal["judge"]
    judges: dict[Name, Judging] = Field(description="what it judges, by suite")
    limits: QuestionLimits = QuestionLimits()

    def model_facts(self) -> dict[str, Any]:
        """What of the model decides its replies, as recorded opinions name it: a JSON value."""
        return {
            "transport": self.transport.model_dump(mode="json"),
            "decoding": self.decoding.model_dump(exclude_none=True),
        }


AgentSpec = Annotated[SolverEntry | ModelEntry | JudgeEntry, Field(discriminator="kind")]


class Agents(Model):
    """config/agents.yaml."""

    agents: dict[Name, AgentSpec]


class SuiteConfig(Model):
    """One suite with everything known about it: its entry, its file and its validated settings."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    suite: Suite
    entry: SuiteEntry
    file: SuiteFile
    settings: dict[str, dict[str, Any]]


class Config(Model):
    """The whole configuration, validated; `judges` stand in the same file as `agents`, and play nothing."""

    project: Project
    agents: dict[str, SolverEntry | ModelEntry]
    judges: dict[str, JudgeEntry]
    suites: dict[str, SuiteConfig]


SCHEMAS: Mapping[str, type[Model]] = {"config": Project, "agents": Agents, "suite": SuiteFile}
"""The models of the files, by the name of their schema in `config/schemas/`."""


def load(path: Path = Path("config/config.yaml"), override: Mapping[str, Any] | None = None) -> Config:
    """Read and validate the project's file, the agents' file and each suite's file.

    `override` replaces top-level keys of the project's file (Snakemake's `--config`). Relative paths are
    relative to the working directory. Raises one `ConfigError` that lists every problem of every file.
    """
    problems: list[str] = []
    given = {**_parsed(path, problems), **(override or {})}
    if problems:
        raise _error(problems)
    project = _validate(Project, given, str(path), problems)
    if project is None:
        _check_named(path, given, problems)
        raise _error(problems)
    agents = _read(Agents, project.agents, problems)
    suites = {}
    for name, entry in sorted(project.suites.items()):
        found = suite(name, entry.package)
        file, settings = _read_suite(path, found, entry.settings, problems)
        if file is not None:
            suites[name] = SuiteConfig(suite=found, entry=entry, file=file, settings=settings)
    players, judges = _apart(agents)
    _check_agents(players, suites, project, problems)
    _check_judges(judges, players, suites, project, problems)
    if problems:
        raise _error(problems)
    return Config(project=project, agents=players, judges=judges, suites=suites)


def suite_of(config: Config, name: str, path: Path) -> SuiteConfig:
    """The suite of that name in the configuration read from `path`; `UnknownName` where there is none."""
    if name not in config.suites:
        raise UnknownName(
            f"{path} has no suite {name!r}",
            f"its suites are {', '.join(config.suites)}: add it there, or give another --config",
        )
    return config.suites[name]


def _check_named(path: Path, given: Mapping[str, Any], problems: list[str]) -> None:
    """Note the problems of the files that a faulty project file names, as far as it names them."""
    if isinstance(agents := given.get("agents"), str):
        _read(Agents, Path(agents), problems)
    suites = given.get("suites")
    for name, entry in suites.items() if isinstance(suites, dict) else ():
        if isinstance(entry, dict) and isinstance(entry.get("settings"), str):
            package = entry.get("package")
            found = suite(str(name), package if isinstance(package, str) else None)
            _read_suite(path, found, Path(entry["settings"]), problems)


def _read_suite(
    project: Path, found: Suite, path: Path, problems: list[str]
) -> tuple[SuiteFile | None, dict[str, dict[str, Any]]]:
    """A suite's file and its settings, with all that is wrong with either noted."""
    file = _read(SuiteFile, path, problems)
    for name, kind in file.sets.items() if file is not None else ():
        if not isinstance(kind, Generated) and (kind == "private") != name.endswith(SUFFIX):
            problems.append(
                f"{path}: sets.{name}: a private set, and no frozen one, has a name that ends in {SUFFIX}"
            )
    if not _exists(found):
        problems.append(
            f"{project}: suites.{found.name}: there is no package {found.package} with a room `settings`"
            + _nearest(found.name, _known_suites(), "suites of Assay")
        )
        return file, {}
    return file, {} if file is None else _settings(found, file, path, problems)


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


def _apart(agents: Agents | None) -> tuple[dict[str, SolverEntry | ModelEntry], dict[str, JudgeEntry]]:
    """Those who play, and those who judge."""
    players: dict[str, SolverEntry | ModelEntry] = {}
    judges: dict[str, JudgeEntry] = {}
    for name, entry in agents.agents.items() if agents is not None else ():
        if isinstance(entry, JudgeEntry):
            judges[name] = entry
        else:
            players[name] = entry
    return players, judges


def _check_judges(
    judges: Mapping[str, JudgeEntry],
    agents: Mapping[str, SolverEntry | ModelEntry],
    suites: Mapping[str, SuiteConfig],
    project: Project,
    problems: list[str],
) -> None:
    """A judge judges episodes whose events are kept, in sets and suites that there are."""
    for name, judge in judges.items():
        for suite_name, judging in judge.judges.items():
            if suite_name not in suites:
                continue  # as for agents: this configuration may leave a suite out
            place = f"{project.agents}: agents.{name}.judges.{suite_name}"
            found = suites[suite_name].suite
            if _exists(found) and not found.has("judging"):
                problems.append(f"{place}: nothing can be judged there: the suite has no room `judging`")
            known = suites[suite_name].file.sets
            for task_set in judging.sets if judging.sets != "all" else ():
                if task_set not in known:
                    problems.append(
                        f"{place}.sets: the suite has no set {task_set!r}" + _nearest(task_set, known, "sets")
                    )
            players = [agent for agent, entry in agents.items() if suite_name in entry.suites]
            for agent in judging.agents if judging.agents != "all" else ():
                if agent not in players:
                    problems.append(
                        f"{place}.agents: no agent {agent!r} plays the suite"
                        + _nearest(agent, players, "agents")
                    )
                elif getattr(agents[agent], "log", "full") == "digest":
                    problems.append(
                        f"{place}.agents: {agent} keeps no events (log: digest), and so nothing to judge"
                    )


def _has_frozen(config: SuiteConfig, task_set: str) -> bool:
    return (config.entry.tasks / config.suite.name / task_set).is_dir()


def _read(model: type[M], path: Path, problems: list[str]) -> M | None:
    """One file as its model, or null with the problems noted."""
    before = len(problems)
    value = _parsed(path, problems)
    return _validate(model, value, str(path), problems) if len(problems) == before else None


def _parsed(path: Path, problems: list[str]) -> dict[str, Any]:
    """The mapping that a YAML file holds; empty where the file is none, with the problem noted."""
    try:
        value = strict_yaml.read(path)
    except strict_yaml.Unreadable as problem:
        problems.append(f"{path}: {problem}")
    else:
        if isinstance(value, dict):
            return value
        problems.append(f"{path}: must hold a mapping of keys to values")
    return {}


def _validate(model: type[B], value: Any, place: str, problems: list[str]) -> B | None:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        found: dict[tuple[str, ...], list[Any]] = {}
        for problem in error.errors():
            found.setdefault(_path(problem, value), []).append(problem)
        for path, same in found.items():
            # Where one of several forms is asked for, the form that was meant has the deepest problems.
            deeper = any(len(other) > len(path) and other[: len(path)] == path for other in found)
            if not deeper or same[0]["loc"][-1:] == ("[key]",):
                problems.append(_describe(model, path, same, place))
        return None


def _path(problem: Any, value: Any) -> tuple[str, ...]:
    """The keys that lead to a problem in the file; pydantic adds the names of the forms it has tried."""
    path, at, form = [], value, None
    for key in problem["loc"]:
        if isinstance(at, dict) and key == at.get("kind") and at is not form:
            form = at
        elif key in at if isinstance(at, dict) else isinstance(at, list) and isinstance(key, int):
            path.append(str(key))
            at = at[key]
    if problem["type"] == "missing":
        path.append(str(problem["loc"][-1]))
    elif problem["type"] in ("union_tag_invalid", "union_tag_not_found"):
        path.append(problem["ctx"]["discriminator"].strip("'"))
    return tuple(path)


def _describe(model: type[BaseModel], path: tuple[str, ...], same: list[Any], place: str) -> str:
    """One line: file, key, what is wrong, what would be right."""
    start = f"{place}: {'.'.join(path) or '(file)'}: "
    problem = same[0]
    got = problem["input"]
    if problem["type"] == "extra_forbidden":
        return f"{start}unknown key" + _nearest(path[-1], _fields_at(model, path[:-1]), "keys here")
    if problem["type"] == "union_tag_not_found":
        return f"{start}field required"
    if problem["type"] == "union_tag_invalid":
        said, got = f"input should be one of {problem['ctx']['expected_tags']}", got[path[-1]]
    else:
        messages = [one["msg"].partition(" or instance of ")[0] for one in same]
        said = "; or ".join(f"{text[:1].lower()}{text[1:]}" for text in messages)
    shown = repr(got)
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    return f"{start}{said}" + ("" if problem["type"] == "missing" else f" (got {shown})")


def _fields_at(model: type[BaseModel], path: tuple[str, ...]) -> list[str]:
    """The keys that a model accepts at a place, found by walking its JSON schema."""
    schema = model.model_json_schema()
    nodes = [schema]
    for key in path:
        nodes = [
            child
            for node in (_resolve(schema, n) for n in _alternatives(schema, nodes))
            for child in (
                node.get("properties", {}).get(key),
                node.get("additionalProperties"),
                *node.get("patternProperties", {}).values(),
            )
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
    except (ImportError, ValueError):  # also of a name that begins with a dot, or can be none
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
