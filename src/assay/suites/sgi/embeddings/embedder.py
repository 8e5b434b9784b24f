"""The embedders by name. Rows with different ones do not compare."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from assay.errors import UnknownName
from assay.suites.sgi.metrics import embedding
from assay.suites.sgi.metrics.embedding import Embedder, Vector


@dataclass(frozen=True)
class NamedEmbedder:
    """An embedder and its name; `semantic` says whether texts that mean the same are near each other."""

    name: str
    embed: Embedder
    semantic: bool

    def __call__(self, text: str) -> Vector:
        """The unit vector of a text; empty for an empty text."""
        return self.embed(text)


HASHED = NamedEmbedder(embedding.NAME, embedding.embed, semantic=False)
"""Hashed words and pairs of words: the same bytes on every machine, so the only one in the workflow."""


def _minilm() -> NamedEmbedder:
    from assay.suites.sgi.embeddings import minilm

    return NamedEmbedder(minilm.NAME, minilm.load().embed, semantic=True)


EMBEDDERS: Mapping[str, Callable[[], NamedEmbedder]] = {
    HASHED.name: lambda: HASHED,
    "minilm-l6-v2-int8": _minilm,
}
"""By name; the second needs the extra `embeddings`."""


def embedder(name: str) -> NamedEmbedder:
    """The embedder of that name, loaded; `UnknownName` where there is none."""
    if name not in EMBEDDERS:
        raise UnknownName(f"there is no embedder {name!r}", f"use one of {', '.join(EMBEDDERS)}")
    return EMBEDDERS[name]()
