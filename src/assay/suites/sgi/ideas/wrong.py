"""Ideas of known quality: copies, stuffing, a single sentence, a plan reversed, a plan without content."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.suites.sgi.ideas.items import reply
from assay.suites.sgi.metrics.ideas import literal


@dataclass(frozen=True)
class Wrong:
    """A reply, and the bounds (0 to 1) within which metrics of profile `objective` must lie."""

    reply: str
    bounds: Mapping[str, tuple[float, float]]


def _steps(row: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = literal(row["implementation_steps"])
    return found


def copied(question: str) -> str:
    """A reply that offers the first existing solution of a prompt as an idea; read from the prompt alone."""
    _, _, below = question.partition("Existing solutions\n")
    first = below.partition("\n")[0].removeprefix("- Solution 1: ")
    sentences = [part.strip() + "." for part in first.split(".") if part.strip()]
    steps = {str(k): sentence for k, sentence in enumerate(sentences, 1)}
    order = [f"{k}-{k + 1}" for k in range(1, len(steps))]
    return json.dumps(
        {
            "Idea": first,
            "ImplementationSteps": steps,
            "ImplementationOrder": order,
            "Dataset": "the data of the existing solution",
            "EvaluationMetrics": {"accuracy": "as before"},
            "ExpectedOutcome": "the same as before",
        }
    )


def copy_existing(row: Mapping[str, Any]) -> Wrong:
    """An existing solution, word for word."""
    bounds = {"effectiveness_objective": (0.0, 0.0), "novelty_nn": (0.0, 1e-9)}
    return Wrong(copied(row["question"]), bounds)


def keyword_stuffer(row: Mapping[str, Any]) -> Wrong:
    """All keywords and little else, three times over; no plan."""
    idea = " ".join(f"It has {', '.join(row['keywords'])}." for _ in range(3))
    bounds = {"effectiveness_objective": (0.5, 0.5), "feasibility_objective": (0.0, 0.0)}
    bounds["detailedness_objective"] = (0.0, 0.7)
    return Wrong(reply(row, idea, {}, []), bounds)


def one_sentence(row: Mapping[str, Any]) -> Wrong:
    """The first sentence of the reference and nothing else: 4 of 6 parts of completeness go, length costs."""
    idea = row["core_idea"].partition(".")[0] + "."
    whole = 0.2 / 6 + 0.4 + 0.4 * (1 - (300 - len(idea)) / 1000)
    bounds = {"feasibility_objective": (0.0, 0.0), "detailedness_objective": (whole - 1e-9, whole + 1e-9)}
    return Wrong(json.dumps({"Idea": idea}), bounds)


def reversed_order(row: Mapping[str, Any]) -> Wrong:
    """The reference with every edge turned round: steps and slots count, no edge does."""
    order = ["-".join(reversed(edge.split("-"))) for edge in row["implementation_order"]]
    bounds = {"effectiveness_objective": (1.0, 1.0), "feasibility_objective": (0.6, 0.6)}
    return Wrong(reply(row, row["core_idea"], _steps(row), order), bounds)


def types_only(row: Mapping[str, Any]) -> Wrong:
    """The right types in a chain, in empty phrases."""
    steps = {k: f"{kind.capitalize()} things properly." for k, kind in row["x_step_types"].items()}
    order = [f"{k}-{k + 1}" for k in range(1, len(steps))]
    return Wrong(reply(row, row["core_idea"], steps, order), {"feasibility_objective": (0.0, 0.3)})


def silent(row: Mapping[str, Any]) -> Wrong:
    """An object without content."""
    bounds = {"effectiveness_objective": (0.0, 0.0), "feasibility_objective": (0.0, 0.0)}
    bounds["novelty_objective"] = (0.0, 0.0)
    return Wrong('{"Idea": ""}', bounds)


WRONG: Mapping[str, Callable[[Mapping[str, Any]], Wrong]] = {
    "copy-existing": copy_existing,
    "keyword-stuffer": keyword_stuffer,
    "one-sentence": one_sentence,
    "reversed-order": reversed_order,
    "types-only": types_only,
    "silent": silent,
}
