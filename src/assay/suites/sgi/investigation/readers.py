"""Readers of the texts of an inquiry: a solver that fits what they show, and rules of thumb."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.suites.sgi.frame.decision import Choices
from assay.suites.sgi.investigation import enzyme as lab
from assay.suites.sgi.investigation import stages
from assay.suites.sgi.investigation.documents import decisions, read, texts
from assay.suites.sgi.investigation.stages import NUMBER, Shown
from assay.suites.sgi.metrics.reasoning import letter


def facts_in(text: str) -> dict[str, Any]:
    """What the text of a stage says of sample, prices and solubility, in the form of a world; 1 elsewhere."""

    def stated(pattern: str) -> float:
        match = re.search(pattern, text)
        return float(match[1]) if match else 1.0

    return {
        "sample": {
            "substrate": stated(rf"sample holds {NUMBER} mM substrate"),
            "inhibitor": stated(rf"substrate and {NUMBER} mM inhibitor"),
        },
        "price": {
            "enzyme": stated(rf"less {NUMBER} for each U/mL"),
            "minute": stated(rf"and {NUMBER} for each minute"),
        },
        "soluble": stated(rf"only {NUMBER} mM dissolve"),
    }


def sheet_in(text: str) -> Choices:
    """What the batch sheet of a text gives away."""
    found: Choices = {}
    for name, form in texts()["lines"].items():
        before, _, after = form.replace("{enzyme}", r"\w+").partition("{value}")
        match = re.search(rf"^- {before}(.+?){after}$", text, re.MULTILINE)
        if match and name == "rivals":
            found[name] = next(s for s, pair in lab.PAIRS.items() if " and ".join(pair) == match[1])
        elif match:
            found[name] = match[1] if name in stages.RELATIVE or name.startswith("batch") else float(match[1])
    return found


def shown_in(text: str) -> Shown:
    """What the text of a stage shows of earlier results."""
    shown = Shown()
    line = next((one for one in text.splitlines() if one.startswith("What is known of ")), "")
    if line:
        values = {name: float(value) for name, value in re.findall(rf"(\w+) = {NUMBER}", line)}
        rivals = line.partition("rivals: ")[2].rstrip(".")
        sides = [side for side, pair in lab.PAIRS.items() if " and ".join(pair) == rivals]
        shown["estimates"] = values | ({"rivals": sides[0]} if sides else {})
    for block in text.split("\n\n"):
        lines = block.strip().splitlines() or [""]
        rows = [[float(x) for x in one.split(" | ")] for one in lines if re.fullmatch(r"[-\d.e+ |]+", one)]
        if lines[0].startswith("substrate (mM) | inhibitor (mM)"):
            shown |= {"runs": [(row[0], row[1]) for row in rows], "readings": [row[2] for row in rows]}
        elif lines[0].startswith("Protocol: "):
            pairs = re.findall(rf"(dilution|enzyme|minutes) {NUMBER}", lines[0])
            shown["protocol"] = {name: float(value) for name, value in pairs}
        elif lines[0] == "Control" or lines[0].startswith("Batch "):
            shown.setdefault("curves", []).append([[row[1] for row in rows], [row[2] for row in rows]])
    return shown


class Solver:
    """Reads the documents, and then makes the most of what each text shows; knows nothing else.

    Args:
        question: the text of the first stage, where sample, prices and the batch sheet are stated.
    """

    def __init__(self, question: str) -> None:
        self._facts, self._sheet = facts_in(question), sheet_in(question)
        self._usual = {name: one.textbook for name, one in decisions().items()}

    def reply(self, stage: str, text: str) -> str:
        """The answer to a stage."""
        shown = shown_in(text)
        if stage == "read":
            values: dict[str, Any] = read(text)
        elif stage == "interpret":
            values = self._explained(shown)
        else:
            law = self._sheet.get("law")
            values = stages.decided(stage, self._facts, shown, self._usual, law)
        # `compute` is given the constants, so those of the sheet are left out; other stages compute
        # from the constants what the sheet states relative to them.
        held = lab.CONSTANTS if stage == "compute" else stages.RELATIVE
        own = {name: value for name, value in self._sheet.items() if name not in held}
        return stages.written(stage, {**values, **own})

    def _explained(self, shown: Shown) -> dict[str, str]:
        """Of each batch what explains it best, once the constants are fitted to the control."""
        from scipy.optimize import least_squares

        if "curves" not in shown:
            return {f"batch {n}": "A" for n in range(1, lab.BATCHES + 1)}
        start = {**self._usual, **shown.get("estimates", {})}
        law = lab.better_law(start["rivals"], shown.get("runs", ()), shown.get("readings", ()), start)
        control = np.array(shown["curves"][0])
        names = ("K", "k", "tau")

        def known(x: Any) -> dict[str, Any]:
            return {**start, **{name: start[name] * np.exp(v) for name, v in zip(names, x, strict=True)}}

        def off(x: Any) -> Any:
            found = lab.curves(self._facts, known(x), law, shown["protocol"])[0]
            # The estimates of stage 1 are a prior: a deviation of 25 % counts as one standard deviation.
            return np.concatenate([((found - control) / lab.CURVE_NOISE).ravel(), np.array(x) / 0.25])

        fitted = least_squares(off, np.zeros(3), loss="soft_l1").x
        candidates = lab.curves(self._facts, known(fitted), law, shown["protocol"])
        found = lab.likeliest(candidates, shown["curves"][1:])
        return {f"batch {n}": letter(at) for n, at in enumerate(found, 1)}


def with_sheet(facts: Mapping[str, Any], values: Mapping[str, Any], sheet: Choices) -> dict[str, Any]:
    """Values of all decisions, those of the batch sheet as it says."""
    known: dict[str, Any] = {**values, **sheet}
    for name, constant in stages.RELATIVE.items():
        if name in sheet:
            times = str(sheet[name]).partition(" times ")
            known[name] = float(times[0]) * known[constant] if times[1] else facts["soluble"]
    return known


def rules(facts: Mapping[str, Any], picked: Mapping[str, Any], usual: Mapping[str, Any]) -> Choices:
    """All decisions by rules of thumb from constants that were picked somewhere; nothing is searched for."""
    known: dict[str, Any] = {**usual, **picked}
    for name in lab.CONSTANTS:
        known[name] = float(f"{known[name]:.4g}")
    held = facts["sample"]["substrate"] / 2.0
    return known | {
        "substrate": facts["soluble"] if known["rivals"] == "low" else known["K"],
        "inhibitor": 3 * known["Ki"],
        "law": lab.PAIRS[known["rivals"]][0],
        "dilution": 2.0,
        "minutes": 20.0,
        "enzyme": float(f"{1.5 * (held + known['K']) / (known['k'] * 20.0):.3g}"),
    }


def hints(facts: Mapping[str, Any]) -> Choices:
    """What statements of later stages tell about constants: they lie around them in known ranges."""
    return {"K": facts["soluble"] / 25, "Ki": facts["sample"]["inhibitor"] / 2.8}
