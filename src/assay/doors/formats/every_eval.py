"""Rows of a built leaderboard as records of *Every Eval Ever*, a shared schema of evaluation results.

One record holds one agent in one task set. Values of the leaderboard are taken as they are; nothing is
scaled, and the interval and the method of it are passed on.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay import __version__
from assay.comparison.results import results
from assay.config.agents import ModelEntry
from assay.config.models import Config

VERSION = "0.3.0"
"""The version of the schema of *Every Eval Ever* that the records follow."""

ORGANISATION = "The Assay developers"

DEPLOYMENT = {"provider": ("externally_managed", "unknown"), "local": ("self_deployed", "open_weights")}
"""Where a model runs and whether its weights are public, in the schema's words, by the kind of transport."""


def records(config: Config, suite: str, task_set: str, retrieved: int, folder: Path) -> Iterator[Any]:
    """Yield a record for each agent of a set that played it, without figures quoted from papers.

    Args:
        config: The configuration, which knows the models behind the agents.
        suite: The suite.
        task_set: The set.
        retrieved: When the results were read, in seconds since 1970.
        folder: The folder of results.

    Raises:
        NotBuilt: If there is no leaderboard.
        UnknownName: If it has no such set.
    """
    tables = results(suite, folder)
    card = {row["task_set"]: row for row in tables.validity().to_dict("records")}.get(task_set, {})
    for row in tables.leaderboard(task_set).to_dict("records"):
        if row["kind"] != "quoted" and row["score"] == row["score"]:
            yield record(config, {str(key): value for key, value in row.items()}, card, retrieved)


def record(config: Config, row: Mapping[str, Any], card: Mapping[Any, Any], retrieved: int) -> dict[str, Any]:
    """Return the record of one agent in one task set.

    Args:
        config: The configuration.
        row: The row of the leaderboard.
        card: The row of the set in the table `validity`; empty if there is none.
        retrieved: When the results were read, in seconds since 1970.
    """
    name = f"{row['suite']}/{row['task_set']}"
    uncertainty: dict[str, Any] = {"num_samples": int(row["tasks"])}
    if row["low"] == row["low"] and row["low"] is not None:
        uncertainty["confidence_interval"] = {
            "lower": float(row["low"]),
            "upper": float(row["high"]),
            "confidence_level": 0.95,
            "method": row["method"],
        }
    ceiling = card.get("ceiling")
    scale = card.get("scale")
    bounds: dict[str, Any] = {}
    if isinstance(scale, int | float) and scale == scale and isinstance(ceiling, int | float):
        bounds = {"min_score": min(0.0, float(row["score"])), "max_score": max(float(scale), row["score"])}
    return {
        "schema_version": VERSION,
        "evaluation_id": f"assay/{name}/{row['agent']}/{retrieved}",
        "retrieved_timestamp": str(retrieved),
        "source_metadata": {
            "source_name": "Assay",
            "source_type": "evaluation_run",
            "source_organization_name": ORGANISATION,
            "evaluator_relationship": "third_party",
        },
        "eval_library": {"name": "assay", "version": __version__},
        "model_info": _model(config, row),
        "evaluation_results": [
            {
                "evaluation_result_id": f"{name}/{row['agent']}/score",
                "evaluation_name": name,
                "source_data": {"dataset_name": name, "source_type": "other"},
                "metric_config": {
                    "evaluation_description": f"mean of the headline score of {row['suite']}",
                    "metric_id": f"assay.{row['suite']}.score",
                    "metric_name": "score",
                    "lower_is_better": False,
                    **({"score_type": "continuous", **bounds} if bounds else {}),
                },
                "score_details": {"score": float(row["score"]), "uncertainty": uncertainty},
            }
        ],
    }


def place_of(record: Mapping[str, Any]) -> str:
    """Return where a record stands: data/benchmark/developer/model/identifier.json, as the project asks."""
    developer, _, model = record["model_info"]["id"].partition("/")
    benchmark = "assay-" + record["evaluation_results"][0]["evaluation_name"].replace("/", "-")
    # The form of a random identifier is asked for; it is computed, so that equal records have equal names.
    digest = hashlib.sha256(record["evaluation_id"].encode()).digest()
    identifier = uuid.UUID(bytes=digest[:16], version=4)
    return f"data/{benchmark}/{developer}/{model.replace('/', '-')}/{identifier}.json"


def _model(config: Config, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the model of an agent; a solver or a program is its own model."""
    agent = str(row["agent"])
    entry = config.agents.get(agent)
    name, details = agent, {"agent": agent, "kind": str(row["kind"])}
    if isinstance(entry, ModelEntry):
        transport = entry.transport.model_dump(mode="json")
        name = str(transport.get("model") or transport.get("name") or agent)
        deployment, weights = DEPLOYMENT.get(transport["kind"], ("unknown", "unknown"))
    else:  # a solver is a program of this package, without weights
        deployment, weights = "self_deployed", "unknown"
    details |= {"deployment_type": deployment, "model_availability": weights}
    return {
        "name": name,
        "id": name if "/" in name else f"assay/{name}",
        "additional_details": details,
    }
