"""Models of config/agents.yaml: agents, judges, and how models are reached."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, JsonValue

from assay.config.base import Model, Name


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
    """Parameters of sampling; the provider decides those that are left out."""

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


class InstalledTransport(Model):
    """A transport of your own, one class with one method; its other keys are its own (docs/recipes)."""

    model_config = ConfigDict(extra="allow")

    __pydantic_extra__: dict[str, JsonValue]

    kind: Literal["installed"]
    name: str = Field(description="an entry point in the group assay.transports, or package.module:Class")


class RecordedTransport(Model):
    """Sessions recorded through another interface: `assay mcp --record`, `assay import`, or Python."""

    kind: Literal["recorded"]


Transport = Annotated[
    FakeTransport
    | ProviderTransport
    | LocalTransport
    | CommandTransport
    | InstalledTransport
    | RecordedTransport,
    Field(discriminator="kind"),
]


class AgentEntry(Model):
    """The fields that solvers and models that play share."""

    suites: dict[Name, Literal["all"] | list[Name]] = Field(description="suites, and the sets of each")
    attempts: int = Field(1, ge=1, description="episodes a task")


Role = Literal["reference", "shortcut", "able", "conduct"]
"""What a solver is played for, see `SolverEntry.role`."""

PROBES: frozenset[Role] = frozenset({"shortcut", "able"})
"""The roles of solvers that measure a task set: they stand on its card and in no ranking."""


class SolverEntry(AgentEntry):
    """A suite's reference algorithm, or a scripted agent that tries the suite."""

    kind: Literal["solver"]
    solver: str | None = Field(None, description="its name in the suite's SOLVERS; the agent's by default")
    log: Literal["full", "digest"] = Field(
        "full", description="digest: keep no events; scores and flags are made in the same job"
    )
    seconds: float | None = Field(None, gt=0, description="of an episode; the suite's cost by default")
    role: Role | dict[Name, Role] = Field(
        "reference",
        description="what it is played for, in every suite or by suite: `reference`, a sound method; "
        "`shortcut`, it scores without doing what the benchmark measures; `able`, a sound method with a "
        "planted share of right inferences; `conduct`, it tries the audit or a metric",
    )
    scripted: bool = Field(False, description="the old spelling of `role: conduct`")
    fresh: dict[Name, list[Name]] = Field(
        {}, description="suites, and the sets of which it plays fresh tasks alone (`assay fresh`)"
    )

    def role_in(self, suite: str) -> Role:
        """What the solver is played for in a suite."""
        if self.scripted:
            return "conduct"
        return self.role.get(suite, "reference") if isinstance(self.role, dict) else self.role

    @property
    def is_probe(self) -> bool:
        """Whether it measures task sets, and so takes no part in comparisons of agents."""
        return any(self.role_in(suite) in PROBES for suite in (*self.suites, *self.fresh))


class LanguageModel(Model):
    """The fields that models that play and models that judge share."""

    transport: Transport = Field(description="which model it is, and how requests reach it")
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
        """Return the properties of the model that decide its replies, as a JSON value.

        A recorded opinion holds the same value, so that it can be compared with the present configuration.
        """
        return {
            "transport": self.transport.model_dump(mode="json"),
            "decoding": self.decoding.model_dump(exclude_none=True),
        }


AgentSpec = Annotated[SolverEntry | ModelEntry | JudgeEntry, Field(discriminator="kind")]


class Agents(Model):
    """config/agents.yaml."""

    agents: dict[Name, AgentSpec]
