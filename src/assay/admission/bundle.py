"""Bundles: all recordings of an agent, what it is, and what is claimed, in one file.

`bundle.json` lists every other member with its hash, and the root of a Merkle tree over them. The root stands
for the bundle in statements and in the ledger.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError

import assay
from assay import canonical
from assay.admission import archive, merkle
from assay.admission.archive import AGAIN, Refusal
from assay.config import yaml as strict_yaml
from assay.config.agents import ModelEntry
from assay.config.base import Model, Name
from assay.config.models import Config, Released, SuiteConfig
from assay.config.places import FROZEN
from assay.episodes.blobs import MemoryBlobs
from assay.errors import AssayError, ConfigError, NotBuilt
from assay.sessions import recording, taskfiles
from assay.sessions.recording import PASSING, Identity
from assay.task import Task

HEAD, CARD, STATEMENT = "bundle.json", "card.yaml", "statement.json"
RECORDINGS = "recordings/"
UNKNOWN: Literal["unknown"] = "unknown"

Sha256 = Field(pattern=r"^[0-9a-f]{64}$")


class Card(Model):
    """The card of an agent: its maker, its model and how it played. Any field may be `unknown`."""

    name: str = Field(min_length=1, max_length=200, description="the agent's name for people")
    maker: str = Field(UNKNOWN, max_length=500, description="who made it")
    model: str = Field(UNKNOWN, max_length=500, description="the model and its version")
    released: str = Field(UNKNOWN, max_length=100, description="the date of the model")
    open_weights: bool | Literal["unknown"] = Field(UNKNOWN, description="whether its weights can be had")
    harness: str = Field(
        UNKNOWN, max_length=500, description="an own harness: address and commit; or `assay`"
    )
    tools: str = Field(UNKNOWN, max_length=500, description="tools beside those of the tasks")
    network: bool | Literal["unknown"] = Field(
        UNKNOWN, description="whether it had a network while it played"
    )
    training_data: str = Field(UNKNOWN, max_length=2000, description="what is known of its training data")
    contact: str = Field(UNKNOWN, max_length=500, description="whom to ask")
    licence: str = Field(UNKNOWN, max_length=200, description="the licence of the recordings")
    deterministic: bool = Field(False, description="whether equal tasks always get equal replies")


class SetFacts(Model):
    """A task set that a bundle is about."""

    sha256: str = Sha256
    tasks: int = Field(ge=1)


class Member(Model):
    """A member of a bundle."""

    name: str
    sha256: str = Sha256
    size: int = Field(ge=0)


class Missing(Model):
    """A session that was due and is not in the bundle; it counts as zero."""

    task_set: str = Field(description="suite/set")
    task_id: str
    attempt: int = Field(ge=0)
    reason: str = Field(max_length=500)


class Head(Model):
    """bundle.json."""

    version: Literal[1]
    agent: Name
    entry: dict[str, Any]
    sets: dict[str, SetFacts] = Field(min_length=1)
    attempts: int = Field(ge=1, le=1000)
    assay: str
    manifest: str | None
    missing: list[Missing]
    members: list[Member]
    root: str = Sha256


@dataclass(frozen=True)
class Bundle:
    """The content of a bundle.

    Attributes:
        head: bundle.json.
        card: card.yaml.
        recordings: The bytes of each recording.
        statement: The bytes of statement.json, if there is one.
    """

    head: Head
    card: Card
    recordings: Mapping[Identity, bytes]
    statement: bytes | None

    @property
    def entry_sha256(self) -> str:
        """The hash that identifies the agent's entry."""
        return canonical.digest(self.head.entry)

    @property
    def sets(self) -> dict[str, dict[str, Any]]:
        """The facts about the sets, as JSON."""
        return {name: facts.model_dump() for name, facts in sorted(self.head.sets.items())}


def entry_facts(entry: ModelEntry) -> dict[str, Any]:
    """Return an agent's entry as it is published: without how this machine reaches the model."""
    facts = entry.model_dump(mode="json", exclude_defaults=True, exclude={"access", "budget"})
    return {"kind": "model", **facts}


def tasks_of(config: SuiteConfig, task_set: str) -> list[Task]:
    """Return the tasks of a set, from its files or its generator.

    Raises:
        ConfigError: If the suite has no such set, or the set is read from a path.
    """
    kind = config.file.sets.get(task_set)
    if kind is None:
        raise ConfigError(
            f"the suite {config.suite.name} has no set {task_set!r}",
            f"its sets are {', '.join(config.file.sets)}",
        )
    if isinstance(kind, Released):
        raise ConfigError(
            f"{config.suite.name}/{task_set} is read from files of this machine, so nobody else can check it",
            f"name other sets of {', '.join(config.file.sets)}",
        )
    return taskfiles.tasks_of(config, task_set, MemoryBlobs())


def set_facts(tasks: list[Task]) -> SetFacts:
    """Return what identifies a task set: the hash over its tasks, and their number."""
    return SetFacts(sha256=canonical.digest([task.digest for task in tasks]), tasks=len(tasks))


# ------------------------------------------------------------ making


def make(
    config: Config, agent: str, sets: list[str], card: Card, *, incomplete: bool = False, root: Path = Path()
) -> tuple[Head, dict[str, bytes]]:
    """Collect an agent's recordings of some sets.

    Args:
        config: The configuration.
        agent: The agent.
        sets: The sets, each as suite/set.
        card: Who it is.
        incomplete: Whether sessions may be missing; they are listed, and count as zero.
        root: The folder of the project.

    Returns:
        bundle.json, and all members of the file by name.

    Raises:
        NotBuilt: If a session is missing or unfinished and `incomplete` is False.
        ConfigError: If the agent or a set does not exist, or the agent is no model.
    """
    entry = config.agents.get(agent)
    if not isinstance(entry, ModelEntry):
        raise ConfigError(
            f"{config.project.agents} has no model {agent!r}",
            "only recorded models and programs are submitted",
        )
    members: dict[str, bytes] = {}
    facts: dict[str, SetFacts] = {}
    missing: list[Missing] = []
    for name in sorted(set(sets)):
        suite, _, task_set = name.partition("/")
        if suite not in config.suites:
            raise ConfigError(
                f"there is no suite {suite!r}", f"name sets as suite/set: {', '.join(config.suites)}"
            )
        tasks = tasks_of(config.suites[suite], task_set)
        facts[name] = set_facts(tasks)
        for task in tasks:
            for attempt in range(entry.attempts):
                identity = Identity(agent, suite, task_set, task.task_id, attempt)
                path = identity.path(root / config.project.recordings)
                if (reason := _why_missing(path)) is None:
                    member = f"{RECORDINGS}{suite}/{task_set}/{task.task_id}.{attempt}.jsonl"
                    members[member] = path.read_bytes()
                else:
                    missing.append(
                        Missing(task_set=name, task_id=task.task_id, attempt=attempt, reason=reason)
                    )
    if missing and not incomplete:
        first = missing[0]
        raise NotBuilt(
            f"{len(missing)} of {len(missing) + len(members)} sessions of {agent} are missing, the first: "
            f"{first.task_set}/{first.task_id} attempt {first.attempt} ({first.reason})",
            f"finish them (assay record {agent}); or --incomplete lists them as missing, each counts as zero",
        )
    members[CARD] = yaml.safe_dump(card.model_dump(), sort_keys=False, allow_unicode=True).encode()
    manifest = root / FROZEN
    head = Head(
        version=1,
        agent=agent,
        entry=entry_facts(entry),
        sets=facts,
        attempts=entry.attempts,
        assay=assay.__version__,
        manifest=hashlib.sha256(manifest.read_bytes()).hexdigest() if manifest.is_file() else None,
        missing=missing,
        members=[_member(name, members[name]) for name in sorted(members)],
        root=merkle.root([leaf(name, members[name]) for name in sorted(members)]),
    )
    members[HEAD] = (canonical.dumps(head.model_dump(mode="json")) + "\n").encode()
    return head, members


def _why_missing(path: Path) -> str | None:
    if not path.is_file():
        return "not recorded"
    end = recording.read(path).end
    if end is None:
        return "not finished"
    return f"broke off ({end['status']})" if end["status"] in PASSING else None


def _member(name: str, data: bytes) -> Member:
    return Member(name=name, sha256=hashlib.sha256(data).hexdigest(), size=len(data))


def leaf(name: str, data: bytes) -> bytes:
    """Return the leaf of a member in the tree: its name and the hash of its content."""
    return canonical.dumps([name, hashlib.sha256(data).hexdigest()]).encode()


PERSONAL = {
    "a path in somebody's home folder": re.compile(rb"/(?:home|Users)/[^/\s\"\\]{1,64}/"),
    "a key of a provider": re.compile(
        rb"\b(?:sk-[A-Za-z0-9_-]{16,}|ghp_[A-Za-z0-9]{30,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|hf_[A-Za-z]{30,})"
    ),
    "a private key": re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    # One character before the @ is enough: a repetition there would take a minute for 100,000 letters.
    "an address of e-mail": re.compile(rb"[A-Za-z0-9._%+-]@[A-Za-z0-9-]+\.[A-Za-z]{2,}"),
}


def personal(members: Mapping[str, bytes], secrets: Mapping[str, str]) -> Iterator[str]:
    """Yield what in a bundle looks like a secret or is personal, each with the member that holds it.

    Args:
        members: The members by name.
        secrets: Values that must not be published, by the name of the variable that holds them.
    """
    for name, data in sorted(members.items()):
        for variable, value in secrets.items():
            if value.encode() in data:
                yield f"{name} holds the value of {variable}"
        for what, pattern in PERSONAL.items():
            if name != CARD and pattern.search(data):
                yield f"{name} holds {what}"


# ------------------------------------------------------------ opening


def open_bundle(path: Path, limits: archive.Limits = archive.LIMITS) -> Bundle:
    """Read a bundle, and check that it is what it says: limits, names, schemas, hashes and root.

    Raises:
        Refusal: If it is not. The error has a code, the place, and words.
    """
    members = archive.unpack(path, limits)
    for name in (HEAD, CARD):
        if name not in members:
            raise Refusal("member", name, "it is missing", AGAIN)
    for name, data in members.items():
        for line in data.split(b"\n") if name.startswith(RECORDINGS) else ():
            if len(line) > limits.line:
                raise Refusal("size", name, f"a line has more than {limits.line} bytes", "send less")
        if name.endswith((".json", ".jsonl")):
            archive.check_depth(data, name, limits)
    head = _head(members[HEAD])
    listed = {member.name: member for member in head.members}
    rest = {name: data for name, data in members.items() if name not in (HEAD, STATEMENT)}
    if len(listed) != len(head.members) or list(listed) != sorted(listed):
        raise Refusal("digest", HEAD, "its list of members is out of order or names one twice", AGAIN)
    for name in sorted({*listed, *rest}):
        if name not in listed or name not in rest:
            reason = "it is not listed in bundle.json" if name in rest else "it is listed, and not there"
            raise Refusal("member", name, reason, AGAIN)
        if listed[name] != _member(name, rest[name]):
            raise Refusal("digest", name, "its content is not the listed one", AGAIN)
    if head.root != merkle.root([leaf(name, rest[name]) for name in sorted(rest)]):
        raise Refusal("digest", HEAD, "the root is not that of the members", AGAIN)
    recordings = {
        Identity.of(Path("/") / head.agent / name.removeprefix(RECORDINGS)): data
        for name, data in rest.items()
        if name != CARD
    }
    return Bundle(head, _card(members[CARD]), recordings, members.get(STATEMENT))


def _head(data: bytes) -> Head:
    try:
        value = canonical.loads(data)
        return Head.model_validate(value)
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise Refusal("schema", f"{HEAD}: {place}", first["msg"], AGAIN) from problem
    except ValueError as problem:
        raise Refusal("json", HEAD, f"it is not JSON ({problem})", AGAIN) from problem


def _card(data: bytes) -> Card:
    remedy = "give every field of the card as in docs/submitting.md; `unknown` is an answer"
    try:
        return Card.model_validate(strict_yaml.loads(data.decode()))
    except ValidationError as problem:
        first = problem.errors()[0]
        raise Refusal(
            "schema", f"{CARD}: {'.'.join(map(str, first['loc']))}", first["msg"], remedy
        ) from problem
    except (strict_yaml.Unreadable, ValueError) as problem:
        raise Refusal("schema", CARD, f"it cannot be read ({problem})", remedy) from problem


def read_card(path: Path, agent: str) -> Card:
    """Read the card of an agent; without a file, every field but the name is `unknown`.

    Raises:
        ConfigError: If the file cannot be read or a field is wrong.
    """
    if not path.exists():
        return Card(name=agent)
    try:
        return _card(path.read_bytes())
    except AssayError as problem:
        raise ConfigError(f"{path}: {problem.message}", problem.remedy) from problem
