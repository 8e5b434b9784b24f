"""A configured model that reads a query: it names filters and metrics, and what it names is checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.agents import configured
from assay.agents.connection import connect
from assay.agents.model import writable
from assay.agents.transport import TransportError
from assay.config.agents import JudgeEntry, ModelEntry
from assay.config.models import Config
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.identity import Identity
from assay.errors import UnknownName
from assay.protocol import Question, TaskSet
from assay.sessions.opinion import json_object, request
from assay.suites.sgi.lab.evaluation.metric import builtin_metrics
from assay.suites.sgi.lab.evaluation.query import STRATA, Intent, Query, understand, vocabulary


class ModelReader:
    """Reads a query by asking a model; where its reply cannot be used, the stated vocabulary decides.

    Args:
        config: The configuration.
        name: A model or a judge of the configuration.

    Raises:
        UnknownName: If there is no such model.
        ConfigError: If its key is missing.
    """

    def __init__(self, config: Config, name: str) -> None:
        entry: Any = config.judges.get(name) or config.agents.get(name)
        if not isinstance(entry, ModelEntry | JudgeEntry):
            known = sorted({*config.judges, *(n for n, e in config.agents.items() if e.kind == "model")})
            raise UnknownName(
                f"the configuration has no model {name!r}", f"its models are {', '.join(known) or 'none yet'}"
            )
        if problem := configured.missing_key(name, entry):
            raise problem
        self.name, self._entry = name, entry
        self._player = (
            configured.judge(entry)
            if isinstance(entry, JudgeEntry)
            else configured.player(entry, TaskSet(1, 0, ""))
        )

    def facts(self) -> dict[str, Any]:
        """What decides the reply, besides the query: a JSON value."""
        return {"name": self.name, **self._player.facts()}

    def __call__(self, query: Query, types: Mapping[str, Iterable[str]]) -> Intent:
        """The intent of a query; what the user gave beside the text holds all the same."""
        stated = understand(query, types)
        known: dict[str, Sequence[str]] = {
            **{stratum: [*vocabulary()[stratum]] for stratum in STRATA if stratum != "type"},
            "type": sorted({kind for kinds in types.values() for kind in kinds}),
            "metrics": [*builtin_metrics()],
        }
        titles = "\n".join(f"{spec.id}: {spec.title}" for spec in builtin_metrics().values())
        listed = "\n".join(f"{name}: {', '.join(values)}" for name, values in known.items())
        system = (
            "You turn a question about a benchmark into filters, and choose metrics that answer it. Reply "
            "with one JSON object; each key holds a list of these values and no others (an empty list: any), "
            f"and `n` a number or null.\n{listed}\n\nThe metrics are\n{titles}"
        )
        reply = json_object(self._asked(system, query.text)) or {}
        named = {name: reply[name] if isinstance(reply.get(name), list) else [] for name in known}
        kept = {name: tuple(v for v in values if v in named[name]) for name, values in known.items()}
        dropped = sorted(str(v) for name, values in known.items() for v in named[name] if v not in values)
        kinds = {stratum: tuple(query.given.get(stratum) or kept[stratum]) for stratum in STRATA}
        kinds = {stratum: values for stratum, values in kinds.items() if values}
        if not kinds:
            why = f"the stated vocabulary, since {self.name} named nothing that there is"
            return Intent(**{**vars(stated), "reader": why})
        n = reply.get("n")
        count = n if isinstance(n, int) and not isinstance(n, bool) and n > 0 else None
        without = f", without the unknown {', '.join(dropped)}" if dropped else ""
        return Intent(
            kinds,
            n=query.n if query.n is not None else count,
            metrics=kept["metrics"],
            reader=self.name + without,
        )

    def _asked(self, system: str, text: str) -> str:
        """The model's reply; empty where none can be had."""
        identity = Identity(self.name, "sgi", "evaluation", "query", 0)
        live = connect(self._player, identity, MemoryBlobs(), configured.endpoint(self._entry))
        question = request(Question(system, (text,)))
        try:
            reply = writable(configured.limit(self._entry, 0, 0).ask(lambda: live.ask(question)))
        except TransportError:
            return ""
        return reply.text if reply.stop == "end" else ""
