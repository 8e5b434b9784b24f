"""A solver that reads the documents: patterns for what they say, a synthesis of its own.

It shares laws and units with the generator, and nothing of how truth is computed: texts are read by key
phrases, and the likelihood is maximised by golden sections over numpy arrays instead of scored.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from assay.suites.sgi.literature.bank import Law, laws

NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"

UNITS = ("first", "second", "third")

Study = dict[str, Any]


def documents_of(text: str) -> list[dict[str, Any]]:
    """The documents of their lines."""
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def asked(question: str) -> tuple[str, str, float]:
    """Quantity, entity and condition of a question."""
    match = re.search(rf"the ({'|'.join(laws())}) of (\w+) at an? ([a-z ]+) of ({NUMBER}) ", question)
    if match is None:
        raise ValueError("no question of this family")
    return match[1], match[2], float(match[4])


class Reader:
    """What documents say of an entity."""

    def __init__(self, question: str, found: Sequence[Mapping[str, Any]]) -> None:
        self.name, self.entity, self.at = asked(question)
        self.law: Law = laws()[self.name]
        self.found = found
        self.bridge = self._amount(
            self._note(lambda d: "such relation" in d["text"] or "fixed relation" in d["text"])["text"]
        )
        self.studies = [study for document in found if (study := self._study(document)) is not None]
        for study in self.studies:
            self._noted(study)
        self._paired()
        self.studies += [
            self._plan(d)
            for d in found
            if re.match(r"(Register|Entry in the register): " + self.entity, d["title"])
        ]

    def _note(self, holds: Callable[[Mapping[str, Any]], bool]) -> Mapping[str, Any]:
        return next((d for d in self.found if holds(d)), {"title": "", "text": ""})

    def _titled(self, ending: str) -> str:
        """The text of the first document whose title ends so; empty where there is none."""
        return str(self._note(lambda d: str(d["title"]).endswith(ending))["text"])

    def _amount(self, text: str) -> float:
        match = re.search(rf"(?:a factor of|by|too high|truth by) ({NUMBER})", text)
        return float(match[1]) if match else 0.0

    def _value(self, text: str) -> tuple[float, float, int | None] | None:
        """A value, what stands behind ±, and the place of its unit."""
        units = "|".join(
            re.escape(unit) for unit in sorted((u for u, _, _ in self.law.units if u), key=len)[::-1]
        )
        pattern = (
            rf"({NUMBER})(?: ({units}))? ± ([\d.]+) %"
            if self.law.logarithmic
            else rf"({NUMBER}) ± ([\d.]+)(?: ({units}))?"
        )
        match = re.search(pattern, text)
        if match is None:
            return None
        unit = match[2] if self.law.logarithmic else match[3]
        behind = match[3] if self.law.logarithmic else match[2]
        names = [name for name, _, _ in self.law.units]
        place = names.index(unit) if unit else (names.index("") if "" in names else None)
        return float(match[1]), float(behind), place

    def _study(self, document: Mapping[str, Any]) -> Study | None:
        """A paper on the entity, or on what may be the entity under another name."""
        text = document["text"]
        match = re.fullmatch(rf"{self.name} of (\w+)", document["title"], re.IGNORECASE)
        parts = self._value(text)
        if match is None or parts is None:
            return None
        study: Study = {
            "doc": document["doc_id"],
            "people": document["authors"],
            "year": document["year"],
            "parts": parts,
            "text": text,
            "kinds": {},
            "shift": 0.0,
        }
        study["cite"] = f"{document['authors']} ({document['year']})"
        if match[1] != self.entity:
            note = self._note(lambda d: d["title"].endswith(f"{match[1]} and {self.entity}"))
            if not note["title"]:
                return None
            study["kinds"]["alias"] = "same" if " same" in note["text"] else "other"
            study["old"] = match[1]
        count = re.search(r"n = (\d+)|from (\d+) determinations", text)
        study["n"] = int(count[1] or count[2]) if count else 0
        moderator = self.law.moderator
        where = re.search(rf"{moderator[0]} of ({NUMBER}) {re.escape(moderator[1])}", text)
        study["x"] = float(where[1]) if where else None
        study["behind"] = _behind(text)
        if "one standard error of the mean" not in text:
            study["kinds"]["spread"] = study["behind"]
        self._methods(study)
        return study

    def _methods(self, study: Study) -> None:
        """What the paper says of how it was done, with the notes on instruments, laboratories and sensors."""
        text, kinds = study["text"], study["kinds"]
        if match := re.search(r"(\w+ laboratory)", text):
            guide = self._titled(match[1])
            names = [unit for unit, _, _ in self.law.units]
            told = re.search(r" in ([^;]*);", guide)
            kinds["unit"] = UNITS[names.index(told[1].strip()) if told else 0]
        for place, definition in enumerate(self.law.definitions):
            if definition in text:
                kinds["definition"] = ("plain", "bridged", "out")[place]
        if match := re.search(
            r"(\w+ \d),? (?:no\.|number) (\d+),? (?:in|during|over the year) (\d{4})", text
        ):
            kinds["instrument"] = self._instrument(study, match[1], int(match[2]), int(match[3]))
        if match := re.search(r"(?:series|called) (\w+)\.", text):
            study["series"] = match[1]
        if match := re.search(rf"the (\w+ controller) [a-z ]*?({NUMBER}) ", text):
            note = self._note(lambda d: d["title"].endswith(match[1]))["text"]
            jacket, outer = map(float, re.findall(rf"({NUMBER}) {re.escape(self.law.moderator[1])}", note))
            inside = re.search("(inside|within) the specimen", text)
            kinds["condition"] = "dial" if inside else "jacket" if "jacket" in text else "outer"
            study["conditions"] = {"dial": 0.0, "jacket": jacket, "outer": outer}
            study["dial"] = float(match[2])

    def _instrument(self, study: Study, device: str, serial: int, year: int) -> str:
        notes = [d["text"] for d in self.found if d["title"].endswith(device)]
        for text in notes:
            if match := re.search(r"no\. (\d+) to no\. (\d+)", text):
                until = re.search(r"(?:until|end of) (\d{4})", text)
                study["amount"] = self._amount(text)
                if int(match[1]) <= serial <= int(match[2]) and until and year <= int(until[1]):
                    study["corrected"] = True
        for text in notes:
            match = re.search(r"(?:no\.|Number) (\d+)\b.* (?:drifted|wandered) in (\d{4})", text)
            if match and int(match[1]) == serial and int(match[2]) == year:
                return "out"
        return "corrected" if study.get("corrected") else "plain"

    def _noted(self, study: Study) -> None:
        """What other documents say of a paper."""
        cite, kinds = study["cite"], study["kinds"]
        named = [d for d in self.found if cite in d["title"]]
        errata = [d["text"] for d in named if re.match("Erratum|Correction|Note added", d["title"])]
        second = [d["text"] for d in named if re.match("A further|Second", d["title"])]
        files = [d["text"] for d in named if re.match("Files|Data deposited", d["title"])]
        for text in (d["text"] for d in named if re.match("Withdrawal|Retraction", d["title"])):
            found = self._value(text)
            kinds["retracted"] = (
                "new"
                if found
                else "in"
                if re.search(
                    "witnesses and stand|not in doubt|and hold|order of its authors|have signed|permission",
                    text,
                )
                else "out"
            )
            study["others"] = [found, None]
        if errata and second:
            numbers = [self._value(errata[0]), self._value(second[0])]
            kinds["correction"] = (
                "twice"
                if numbers[1]
                else "printed"
                if re.search("slip of the printer|in error", errata[0])
                else "once"
            )
            study["others"] = numbers
        if files:
            survey = self._note(
                lambda d: (
                    (cite in d["text"] and "listed with" in d["text"])
                    or (cite in d["text"] and re.search("(quoted|stands) with", d["text"]) is not None)
                )
            )["text"]
            last = re.search("last pass|final evaluation", files[0])
            kinds["chain"] = "deposit" if last else "review" if "authors" in survey else "paper"
            study["others"] = [self._value(survey.partition(cite)[2]), self._value(files[0])]
        pre = self._note(
            lambda d: (
                d.get("authors") == study["people"]
                and re.match("Preliminary|Preprint", d["title"]) is not None
            )
        )
        if pre["title"]:
            told = self._note(
                lambda d: (
                    (d["title"].endswith(study["people"]) and "pecimens of" in d["title"])
                    or d["title"].endswith(f"group of {study['people']}")
                )
            )["text"]
            count = re.search(r"n = (\d+)|from (\d+) determinations", pre["text"])
            study["n2"], study["pre"] = int(count[1] or count[2]) if count else 0, pre["doc_id"]
            fresh = re.search("all new|second campaign", told)
            kinds["version"] = "both" if fresh else "journal" if study["n"] > study["n2"] else "preprint"
            study["others"] = [self._value(pre["text"]), None]

    def _paired(self) -> None:
        """Series of specimens that two studies share."""
        joint = [(str(d["title"]), str(d["text"])) for d in self.found if " and " in d["title"]]
        for study in self.studies:
            for other in self.studies:
                ends = f"{study.get('series')} and {other.get('series')}"
                note = next((text for title, text in joint if title.endswith(ends)), "")
                if note and study is not other:
                    larger = "first" if study["n"] > other["n"] else "second"
                    study["kinds"]["cohort"] = "both" if re.search("apart|different", note) else larger
                    study["twin_of"], other["twin"] = other["doc"], study["doc"]

    def _plan(self, document: Mapping[str, Any]) -> Study:
        text = document["text"]
        values = [self._value(part) for part in re.split("amended|replaced", text)]
        early = re.search("third of the runs|Half way", text)
        x = re.search(rf"{self.law.moderator[0]} of ({NUMBER}) ", text)
        count = re.search(r"n = (\d+)", text)
        kind = "out" if early else "amended" if len(values) > 1 else "posted"
        return {
            "doc": document["doc_id"],
            "people": document["authors"],
            "year": document["year"],
            "cite": f"{document['authors']} ({document['year']})",
            "parts": values[0],
            "n": int(count[1]) if count else 0,
            "x": float(x[1]) if x else None,
            "behind": "se",
            "kinds": {"registered": kind},
            "others": [values[0], values[-1]],
            "text": text,
            "shift": 0.0,
        }

    def rows(self) -> list[tuple[str, float, float, float]]:
        """Of each report that enters: document, value, standard error, condition, on the scale of pooling."""
        for study in self.studies:
            self._settle(study)
        dropped = {s["twin_of"] for s in self.studies if s["kinds"].get("cohort") == "first"}
        found = []
        for study in self.studies:
            kinds = study["kinds"]
            values = set(kinds.values())
            if (
                "out" in values
                or "other" in values
                or kinds.get("cohort") == "second"
                or study["doc"] in dropped
            ):
                continue
            value, spread, unit = study["parts"]
            if values & {"new", "once", "review", "posted"} and study["others"][0]:
                value = study["others"][0][0]
            if values & {"twice", "deposit", "amended"} and study["others"][1]:
                value = study["others"][1][0]
            shift = self.bridge if "bridged" in values else study["amount"] if "corrected" in values else 0.0
            if kinds.get("version") != "preprint":
                found.append(self._row(study, study["doc"], value, spread, unit, study["n"], shift))
            if kinds.get("version") in ("preprint", "both"):
                value, spread, unit = study["others"][0]
                found.append(self._row(study, study["pre"], value, spread, unit, study["n2"], shift))
        return found

    def _settle(self, study: Study) -> None:
        """Carry decisions on units, spread and sensors into the numbers."""
        kinds = study["kinds"]
        if "unit" in kinds:
            study["parts"] = (*study["parts"][:2], UNITS.index(kinds["unit"]))
        if "condition" in kinds:
            study["x"] = study["dial"] + study["conditions"][kinds["condition"]]
        study["behind"] = kinds.get("spread", study["behind"])

    def decide(self, choose: Callable[[str, str], str]) -> None:
        """Replace what was read by decisions of others.

        Args:
            choose: of a decision's name and of what was read the decision.
        """
        numbers: dict[str, int] = {}
        for study in self.studies:
            for kind, read in study["kinds"].items():
                numbers[kind] = numbers.get(kind, 0) + 1
                if kind not in study.get("given", ()):
                    study["kinds"][kind] = choose(f"{kind} {numbers[kind]}", read)

    def settled(self, lines: Sequence[str]) -> None:
        """Note which decisions a sheet gives away, by the studies and the sign that its lines name."""
        for study in self.studies:
            mine = [line for line in lines if study["cite"] in line]
            study["given"] = {
                kind
                for kind in study["kinds"]
                if any(("behind ±" in line) == (kind == "spread") for line in mine)
            }

    def _row(
        self, study: Study, doc: str, value: float, spread: float, unit: int | None, n: int, shift: float
    ) -> tuple[str, float, float, float]:
        _, factor, zero = self.law.units[unit or 0]
        se = spread / {"se": 1.0, "sd": math.sqrt(max(n, 1)), "interval": 1.96}[study["behind"]]
        value = value * factor + zero
        if self.law.logarithmic:
            return doc, math.log(value / (shift or 1.0)), se / 100, study["x"]
        return doc, value - shift, se * abs(factor), study["x"]


def _behind(text: str) -> str:
    if re.search(r"(?<![\d.])95 %|nineteen times", text):
        return "interval"
    return (
        "sd" if re.search("single determinations|one determination|among the determinations", text) else "se"
    )


def pooled(rows: Sequence[tuple[str, float, float, float]], at: float) -> tuple[float, float]:
    """Value and standard error at a condition, by a search for the largest restricted likelihood."""
    y, variance = np.array([row[1] for row in rows]), np.array([row[2] for row in rows]) ** 2
    design = np.column_stack([np.ones(len(rows)), [row[3] - at for row in rows]])

    def fit(between: float) -> tuple[float, Any, Any]:
        weights = 1 / (variance + between)
        inverse = np.linalg.inv(design.T @ (weights[:, None] * design))
        beta = inverse @ (design.T @ (weights * y))
        loss = (
            -np.log(weights).sum()
            - np.linalg.slogdet(inverse)[1]
            + (weights * (y - design @ beta) ** 2).sum()
        )
        return float(loss), beta, inverse

    grid = np.concatenate([[0.0], np.geomspace(1e-6, 10, 120) * float(np.var(y))])
    best = int(np.argmin([fit(b)[0] for b in grid]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    golden = (math.sqrt(5) - 1) / 2
    for _ in range(80):
        left, right = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, right) if fit(left)[0] < fit(right)[0] else (left, high)
    _, beta, inverse = fit((low + high) / 2)
    return float(beta[0]), math.sqrt(float(inverse[0, 0]))
