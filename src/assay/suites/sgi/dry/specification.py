"""What a masked function is: a reference with places for conventions, and how its test data are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from textwrap import fill, indent

Choices = Mapping[str, str]
"""The chosen code of each convention."""

Options = Sequence[tuple[str, str]]
"""Alternatives of a convention: code, and the sentence that says it. The first is what textbooks do."""


@dataclass(frozen=True)
class Function:
    """A function with its contract; `$name` in the body stands for the code of a convention."""

    name: str
    parameters: str
    doc: str
    body: str

    def source(self, choices: Choices, phrases: Sequence[str], *, masked: bool = False) -> str:
        """Its source, with the sentences of the conventions in the docstring."""
        doc = "\n".join([self.doc, *(f"* {phrase}" for phrase in phrases)])
        head = f'def {self.name}({self.parameters}):\n    """{indent(doc, "    ").strip()}\n    """\n'
        return head + indent("pass" if masked else filled(self.body, choices), "    ")


@dataclass(frozen=True)
class Specification:
    """A masked function of the bank.

    `data`, `edge` and `hard` are expressions for the arguments: as a rule, in the edge case, and where a
    common mistake shows; `n` in them is the size of the case (`sizes`: typical, large). `helper` is a
    function that the target calls; at higher levels it is masked, too.
    """

    type: str
    disciplines: tuple[str, ...]
    target: Function
    conventions: Mapping[str, Options]
    data: str
    edge: str
    hard: str
    sizes: tuple[int, int]
    helper: Function | None = None

    @property
    def name(self) -> str:
        """The name of the target, which is the specification's own."""
        return self.target.name

    @property
    def textbook(self) -> dict[str, str]:
        """The conventions of textbooks."""
        return {name: options[0][0] for name, options in self.conventions.items()}

    def all_choices(self) -> list[dict[str, str]]:
        """Every combination of conventions."""
        codes = [[code for code, _ in options] for options in self.conventions.values()]
        return [dict(zip(self.conventions, chosen, strict=True)) for chosen in product(*codes)]

    def phrases(self, choices: Choices) -> list[str]:
        """The sentences that state the chosen conventions."""
        return [dict(options)[choices[name]] for name, options in self.conventions.items()]


def filled(body: str, choices: Choices) -> str:
    """A body with the codes of its conventions in place."""
    for name, code in choices.items():
        body = body.replace(f"${name}", code)
    return body


def masked_function(
    kind: str,
    disciplines: str,
    signature: str,
    doc: str,
    body: str,
    *,
    data: str,
    edge: str,
    hard: str = "",
    sizes: tuple[int, int] = (12, 60),
    helper: Function | None = None,
    **conventions: Options,
) -> Specification:
    """A specification, written down; `signature` is `name(parameters)`, `hard` is `data` by default."""
    name, _, parameters = signature.rstrip(")").partition("(")
    return Specification(
        type=kind,
        disciplines=tuple(disciplines.split()),
        target=Function(name, parameters, fill(" ".join(doc.split()), 96), body.strip("\n")),
        conventions=conventions,
        data=data,
        edge=edge,
        hard=hard or data,
        sizes=sizes,
        helper=helper,
    )
