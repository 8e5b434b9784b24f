"""What a careful agent believes after some probes: which candidate was changed, and how large its effect is.

The agent knows nothing about the world. It assumes that a probe that holds the changed parameter shows
chance, and that all others show the same effect, of unknown size and direction.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, combinations

from assay.numbers.portable import exp, log
from assay.suites.petri.questions.answers import REPLICATES
from assay.suites.petri.v1.stored.curves import critical_dominance

PAIRS = REPLICATES * REPLICATES
SPREAD = math.sqrt(PAIRS * (2 * REPLICATES + 1) / 12)
"""Standard deviation of U where both arms are the same."""

LEAST_SPREAD = 3.0
SHARES = (0.75, 0.80, 0.85, 0.90, 0.94, 0.97, 0.99)
"""Sizes of the effect that the agent thinks possible: the share of pairs in which the changed world is
larger."""

GRID = tuple(range(-PAIRS, PAIRS + 1, 16))
"""Values of 2 U - PAIRS that stand for the possible results when the next probe is planned."""

PROOF = 1.0
"""What a bit of proof is worth, in bits of information."""


@lru_cache(maxsize=4096)
def density(dominance: float, share: float) -> float:
    """Return the density of a probe's 2 U - PAIRS where a share of pairs is larger; 0.5 is chance."""
    spread = max(LEAST_SPREAD, SPREAD * math.sqrt(4 * share * (1 - share)))
    z = (dominance / 2 - PAIRS * (share - 0.5)) / spread
    return float(exp(-0.5 * z * z)) / spread


@dataclass
class Belief:
    """Weights of all pairs of a candidate and an effect."""

    candidates: Sequence[str]
    weights: dict[tuple[str, float], float] = field(init=False)

    def __post_init__(self) -> None:
        both = [share for s in SHARES for share in (s, 1 - s)]
        pairs = [(name, share) for name in self.candidates for share in both]
        self.weights = dict.fromkeys(pairs, 1 / len(pairs))

    def update(self, held: frozenset[str], dominance: float) -> None:
        """Take the result of a probe into account."""
        new = {
            (name, share): weight * density(dominance, 0.5 if name in held else share)
            for (name, share), weight in self.weights.items()
        }
        total = math.fsum(new.values())
        self.weights = {pair: weight / total for pair, weight in new.items()}

    def of_candidates(self) -> Mapping[str, float]:
        """Return the probability that each candidate was changed."""
        return {
            name: math.fsum(w for (other, _), w in self.weights.items() if other == name)
            for name in self.candidates
        }

    def best(self) -> str:
        """Return the likeliest candidate."""
        shares = self.of_candidates()
        return max(self.candidates, key=lambda name: round(shares[name], 9))

    def gain(self, held: frozenset[str], alive: frozenset[str], level: int) -> float:
        """Return what a probe that holds some candidates is worth, in bits.

        Args:
            held: The candidates that the probe would hold.
            alive: The candidates that no significant probe has refuted.
            level: The number of comparisons over which p will be corrected.
        """
        shares = self.of_candidates()
        effects: dict[float, float] = {}
        for (name, share), weight in self.weights.items():
            if name not in held:
                effects[share] = effects.get(share, 0.0) + weight
        free = math.fsum(effects.values())
        if not free:
            return 0.0
        # Given whether the changed parameter is held, the result tells nothing more about which one it is.
        chance = [density(d, 0.5) for d in GRID]
        effect = [math.fsum(w * density(d, share) for share, w in effects.items()) / free for d in GRID]
        sums = math.fsum(chance), math.fsum(effect)
        information = 0.0
        for a, b in zip(chance, effect, strict=True):
            p, q = a / sums[0] * (1 - free), b / sums[1] * free
            for joint, prior in ((p, 1 - free), (q, free)):
                if joint > 0 and prior > 0:
                    information += joint * float(log(joint / (prior * (p + q)))) / math.log(2)
        critical = critical_dominance(level)
        seen = math.fsum(b for d, b in zip(GRID, effect, strict=True) if abs(d) >= critical) / sums[1]
        after = alive - held
        refuted = math.log2(len(alive) / len(after)) if after else 0.0
        proved = math.fsum(shares[name] for name in after)
        return information + PROOF * seen * proved * refuted


def subsets(candidates: Sequence[str]) -> list[frozenset[str]]:
    """Return all proper subsets of the candidates, the smallest first."""
    sizes = range(len(candidates))
    return [frozenset(s) for s in chain.from_iterable(combinations(sorted(candidates), n) for n in sizes)]
