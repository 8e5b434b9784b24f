"""The best guess from what is shown before any intervention, and attacks that add a suspected leak to it.

`shortcut-prior` is chance on the cards of sealed sets: it knows the declared prior, reads the records and the
reactor's properties, and intervenes on nothing. The other attacks here must not do much better.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from assay.numbers.portable import exp, log
from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.causalab.metrics.belief import ROUNDING, frequency
from assay.suites.causalab.metrics.least_squares import Basis
from assay.suites.causalab.model.continuous import CENTRE
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation.sealed import RANGE
from assay.suites.causalab.solvers.client import Act, Client, played
from assay.suites.causalab.solvers.discovery import CENT, with_equation
from assay.suites.causalab.solvers.guessing import Leak, Table, guess
from assay.suites.causalab.validity.shortcuts import constants

STRONG = 4.0
"""Log odds by which a suspected leak is believed against the prior."""


def attack(leak: Leak | None = None) -> Act:
    """Return a solver that opens the reactor at once and guesses, with a suspected leak if one is given."""

    def act(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
        played(brief, call, lambda client: guess(client, stream, leak))

    return act


# ------------------------------------------------------------ suspected leaks


def _favouring(client: Client, holds: Callable[[int, int], bool]) -> Table:
    """Make each edge (cause, effect) between properties that a leak denies less likely."""
    n = len(client.properties)
    table = np.zeros((n + 1, 1 << n))
    for effect in range(n):
        denied = sum(1 << cause for cause in range(n) if cause != effect and not holds(cause, effect))
        table[effect] = [-STRONG * (mask & denied).bit_count() for mask in range(1 << n)]
    return table


def by_listing(client: Client, stream: Stream) -> Table:
    """Believe that records list causes before their effects, and ancestors of the target before it."""
    states = [*client.records, *([client.reactor] if client.reactor else [])]
    names = client.properties
    rank = {name: at for at, name in enumerate(states[0] if states else names)}
    return _favouring(client, lambda cause, effect: rank[names[cause]] < rank[names[effect]])


def by_form(client: Client, stream: Stream) -> Table:
    """Believe that whole or short numbers belong to properties without causes."""
    states = [*client.records, *([client.reactor] if client.reactor else [])]
    names = client.properties

    def length(name: str) -> int:
        return sum(len(repr(state[name]).partition(".")[2].rstrip("0")) for state in states)

    lengths = [length(name) for name in names]
    return _favouring(client, lambda cause, effect: lengths[cause] <= lengths[effect])


def by_scale(client: Client, stream: Stream) -> Table:
    """Believe that effects vary more than their causes, as they do with weights of one size."""
    states = [*client.records, *([client.reactor] if client.reactor else [])]
    names = client.properties
    widths = [max(s[n] for s in states) - min(s[n] for s in states) if states else 0.0 for n in names]
    return _favouring(client, lambda cause, effect: widths[cause] <= widths[effect])


def by_centre(client: Client, stream: Stream) -> Table:
    """Believe that properties far from the centre of all start values have causes."""
    states = [*client.records, *([client.reactor] if client.reactor else [])]
    names = client.properties
    middle = [sum(s[n] for s in states) / len(states) if states else CENTRE[0] for n in names]
    away = [abs(value - CENTRE[0]) for value in middle]
    return _favouring(client, lambda cause, effect: away[cause] <= away[effect])


def by_range(client: Client, stream: Stream) -> Table:
    """Believe in causes of the target with which the reactor is likely to lie in its range, as it must."""
    names, crystal = client.properties, client.reactor
    table = np.zeros((len(names) + 1, 1 << len(names)))
    for mask in range(1 << len(names)) if crystal else ():
        causes = [name for at, name in enumerate(names) if mask >> at & 1]
        mean, spread = frequency(causes, client.evidence().all_states, crystal or {})
        low, high = (min(40.0, max(-40.0, 1.702 * (bound - mean) / spread)) for bound in (RANGE[0], RANGE[1]))
        inside = 1.0 / (1.0 + float(exp(-high))) - 1.0 / (1.0 + float(exp(-low)))
        table[-1, mask] = float(log(max(1e-9, inside)))
    return table


def by_lattice(client: Client, stream: Stream) -> Table:
    """Believe in causes of the target whose weights, from two records, have the stated decimals."""
    records, decimals = client.records, client.decimals or 3
    n = len(client.properties)
    table = np.zeros((n + 1, 1 << n))
    for at, name in enumerate(client.properties):
        fits = 0
        for a, b in itertools.pairwise(records):
            step = a[name] - b[name]
            exact = (a[TARGET] - b[TARGET]) / step if step else 0.0
            fits += abs(round(exact, decimals) - exact) * abs(step) <= 2 * ROUNDING
        if records[1:] and fits == len(records) - 1:
            table[n, 1 << at] = STRONG
    return table


def by_constants(client: Client, stream: Stream) -> Table:
    """Believe that start values are the constants of the released environment."""
    names = client.properties
    crystals, bases = constants.crystals(client)
    table = np.zeros((len(names) + 1, 1 << len(names)))
    for at, name in enumerate(names):
        added = [
            float(crystal[name] - base.get(name, 0)) for crystal, base in zip(crystals, bases, strict=True)
        ]
        for mask in range(1 << len(names)):
            if not mask >> at & 1 and mask.bit_count() < len(crystals):
                basis = Basis(added)
                for cause, other in enumerate(names):
                    if mask >> cause & 1:
                        basis = basis.with_column([float(crystal[other]) for crystal in crystals])
                table[at, mask] = STRONG * (basis.worst <= CENT)
    return table


def by_refusals(client: Client, stream: Stream) -> Table:
    """Believe that properties whose refused requests are answered in another way have causes."""
    names = client.properties
    last = {name: client.refusals.get(name, "") for name in names}
    return _favouring(client, lambda cause, effect: last[names[cause]] <= last[names[effect]])


def free(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Ask for what is refused at no cost, then guess with all submissions."""

    def conduct(client: Client) -> None:
        client.look()
        for name in [] if client.embodied else client.properties:
            reply = client.write({"op": "intervene", "property": name, "value": 1e15})
            client.refusals[name] = f"{reply.get('error')}, {reply.get('message')}"
        guess(client, stream, by_refusals)

    played(brief, call, conduct)


def reopened(client: Client, stream: Stream) -> Table:
    """Break ties by the stream of the attempt: what could change when a task is opened again."""
    n = len(client.properties)
    return np.array([[stream.uniform() / 10 for _ in range(1 << n)] for _ in range(n + 1)])


def constant(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Play the attack on public constants, in sealed sets with the prior to fall back on."""

    def conduct(client: Client) -> None:
        if client.decimals is None:
            constants.conduct(client)
        else:
            guess(client, stream, by_constants)

    played(brief, call, conduct)


def copied(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """State a chain in the order in which the prompt lists the properties, with the prompt as memory."""

    def conduct(client: Client) -> None:
        chain = [*client.properties, TARGET]
        edges = list(itertools.pairwise(chain))
        states = client.evidence().all_states
        if states:
            client.hypothesis = with_equation(edges, states, client.quadratic).hypothesis()
        client.memory = str(brief.parts[1])
        if states:
            client.predict(float(states[0][TARGET]))
        client.write({"op": "stop"})

    played(brief, call, conduct)


ATTACKS: Mapping[str, tuple[Act, str, str]] = {
    "shortcut-prior": (
        attack(),
        "Guesses from records, the reactor's properties and the declared prior, without an intervention.",
        "Nothing: this is what a set gives away before an intervention, and so chance on its card.",
    ),
    "shortcut-listing": (
        attack(by_listing),
        "Reads the order of listings as the order of causes, and guesses.",
        "A listing that follows the computation has causes before effects.",
    ),
    "shortcut-form": (
        attack(by_form),
        "Reads whole or short numbers as start values, and guesses.",
        "A number without decimals next to one with them tells which properties have causes.",
    ),
    "shortcut-scale": (
        attack(by_scale),
        "Takes the property that varies more as the effect, and guesses.",
        "Effects add up the variation of their causes where start values have one scale.",
    ),
    "shortcut-centre": (
        attack(by_centre),
        "Takes properties far from the mean of all start values as effects, and guesses.",
        "Start values around one centre would tell which properties have causes.",
    ),
    "shortcut-range": (
        attack(by_range),
        "Prefers causes of the frequency with which the reactor lies within its range, and guesses.",
        "Tasks whose reactor is out of range are drawn again, so the range tells of the equation.",
    ),
    "shortcut-lattice": (
        attack(by_lattice),
        "Looks for the cause whose weight, from two records, has the stated decimals, and guesses.",
        "Weights with few decimals can be told from the frequencies of two records.",
    ),
    "shortcut-reopen": (
        attack(reopened),
        "Opens the task anew at each attempt, and guesses in another way.",
        "A start that differs from one opening to the next could be chosen.",
    ),
    "shortcut-free": (
        free,
        "Compares requests that are refused at no cost, and guesses with all submissions.",
        "Refusals, the reactor's properties and submissions cost no intervention.",
    ),
    "shortcut-copier": (
        copied,
        "Copies the prompt into the memory, and states a chain in the order in which it lists properties.",
        "An order in the prompt may be that of the mechanism.",
    ),
}
"""Solver, description, and what it exploits, by name."""
