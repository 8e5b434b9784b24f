"""Idea generation: four dimensions of an idea and their mean."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from assay.suites.sgi.columns.profiles import Item, Profile, Value
from assay.suites.sgi.embeddings.embedder import HASHED, NamedEmbedder
from assay.suites.sgi.metrics import ideas
from assay.suites.sgi.metrics.embedding import mean


def score(
    item: Item,
    reply: str,
    profile: Profile,
    embedder: NamedEmbedder = HASHED,
) -> Iterable[Value]:
    """`headline`, the four dimensions and `novelty_nn`, each 0 to 1.

    Under `paper` and `released` half of a dimension are the votes of judges, so that `headline` is null here
    (`judging.tables` adds recorded votes). The objective parts are there in any case.
    """
    parts, nearest, label = objective_parts(item, reply, profile, embedder)
    for dimension, value in parts.items():
        yield Value(f"{dimension}_objective", value / 10, label)
    if profile == "objective":
        yield Value("headline", mean([parts[d] for d in ideas.DIMENSIONS]) / 10, label)
        yield Value("novelty_nn", nearest / 10, label)
        return
    yield Value("headline", None, "needs a judge")


def objective_parts(
    item: Item, reply: str, profile: Profile, embedder: NamedEmbedder = HASHED
) -> tuple[dict[str, float], float, str]:
    """What needs no judge: the part of each dimension and the distance from the nearest known work, 0 to 10.

    And a label with the embedder and flags.
    """
    released = profile == "released"
    found, issues = ideas.parse(reply, released)
    if found is None and released and reply.strip():
        found = {}  # the released code goes on with an idea of empty parts
    idea_text = found.get("Idea") if found else ""
    idea = idea_text if isinstance(idea_text, str) else ""
    idea = idea[:50_000]
    if found is None:
        return dict.fromkeys(ideas.DIMENSIONS, 0.0), 0.0, ", ".join([embedder.name, *issues])
    known = [*_texts(item.get("related_work")), *_texts(item.get("existing_solutions"))]
    hidden = _texts(item.get("related_work_test"), named=True)
    similar = [ideas.cosines(idea, texts, embedder) for texts in (known, hidden)]
    flags = [embedder.name, *issues]
    keywords = [str(keyword) for keyword in item.get("keywords") or ()]
    if released:
        effective = ideas.released_effectiveness(idea, keywords, embedder)
        novel = ideas.released_novelty(*similar)
    else:
        forms = item.get("x_synonyms") or [[keyword] for keyword in keywords]
        semantic = embedder if embedder.semantic else None
        effective, flag = ideas.effectiveness(idea, forms, semantic, guarded=profile != "paper")
        flags += [flag] if flag else []
        novel = ideas.novelty(idea, *similar)
    similarity = ideas.sentence_similarity(idea, embedder)
    detail = ideas.detailedness(len(idea), similarity, ideas.present(found, released), released)
    gold = _steps(ideas.literal(item.get("implementation_steps") or {}))
    order = item.get("implementation_order") or []
    steps = found.get("ImplementationSteps")
    own_order = found.get("ImplementationOrder")
    if released or "x_step_types" not in item:
        feasible = ideas.graph_by_ids(gold, order, steps, own_order, released)
        flags += [] if released else ["graph as released"]
    else:
        types = found.get("StepTypes")
        feasible, flag = ideas.objective_graph(
            gold,
            ideas.edges_of(gold, list(order)),
            item["x_step_types"],
            item.get("x_slots", {}),
            _steps(steps),
            own_order,
            types if isinstance(types, dict) else None,
            embedder,
        )
        flags += [flag] if flag else []
    parts = dict(zip(ideas.DIMENSIONS, (effective, novel, detail, feasible), strict=True))
    return parts, ideas.nearest_novelty(idea, [*similar[0], *similar[1]]), ", ".join(flags)


def _steps(value: Any) -> dict[str, str]:
    return {str(k): str(v) for k, v in value.items()} if isinstance(value, dict) else {}


def _texts(cell: Any, named: bool = False) -> tuple[str, ...]:
    """The texts of a cell that holds a dict literal, as `key: value` where named."""
    return _texts_of(cell, named) if isinstance(cell, str) else _listed(cell, named)


@lru_cache(maxsize=1024)
def _texts_of(cell: str, named: bool) -> tuple[str, ...]:
    """The same of the text of a cell, read once for all replies."""
    return _listed(ideas.literal(cell) if cell else {}, named)


def _listed(value: Any, named: bool) -> tuple[str, ...]:
    if not value:
        return ()
    if isinstance(value, dict):
        return tuple(f"{k}: {v}" if named else str(v) for k, v in value.items())
    return tuple(str(text) for text in value) if isinstance(value, list) else (str(value),)
