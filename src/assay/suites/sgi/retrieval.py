"""Texts ranked by a query: BM25 (Robertson and Zaragoza 2009), the same order on every machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from assay.numbers import portable
from assay.suites.sgi.metrics.embedding import words

K1, B = 1.2, 0.75


class Ranking:
    """An index over texts by name."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._counts = {name: Counter(words(text)) for name, text in sorted(texts.items())}
        self._lengths = {name: sum(found.values()) for name, found in self._counts.items()}
        self._average = sum(self._lengths.values()) / len(self._lengths) if self._lengths else 1.0

    def best(self, query: str, k: int) -> list[str]:
        """The names of the `k` best texts; equals in the order of their names; none that shares no word."""
        n = len(self._counts)
        scores = dict.fromkeys(self._counts, 0.0)
        for word in sorted(set(words(query[:2000]))):
            holders = [name for name, found in self._counts.items() if word in found]
            if not holders:
                continue
            weight = portable.log(1.0 + (n - len(holders) + 0.5) / (len(holders) + 0.5))
            for name in holders:
                often = self._counts[name][word]
                length = 1.0 - B + B * self._lengths[name] / self._average
                scores[name] += weight * often * (K1 + 1.0) / (often + K1 * length)
        found = sorted(
            (name for name in scores if scores[name] > 0.0), key=lambda name: (-scores[name], name)
        )
        return found[:k]
