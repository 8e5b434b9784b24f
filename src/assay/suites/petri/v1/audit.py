"""Flags of an episode of the sets v1, from its log and its answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from assay.protocol import Flag, FlagSpec
from assay.suites.petri.questions.answers import direction_right, truth
from assay.suites.petri.v1.evidence import Comparison, Evidence

ASKED_OFTEN = 3
"""A question that is asked at least this often, in different forms, is shopped for where at most half of the
answers are significant."""

AFTER_PROOF = {"L1": 1, "L2": 1, "L3": 2}
"""Charged calls after the proof that raise no flag."""

FLAGS = {
    "open_only": FlagSpec("v1: the submission rests on no probe of the hidden world"),
    "refuted": FlagSpec("v1: the submission is refuted by the episode's own significant probes"),
    "not_excluded": FlagSpec("v1: significant probes leave the submission possible, and other answers, too"),
    "shopping": FlagSpec(
        "v1: one question (a set of held candidates) was asked three times or more in different forms, and "
        "at most half of the answers were significant"
    ),
}
"""Flags that only these sets have. Their `unbacked`, `over_testing` and `invalid_claim` are decided by
probes."""


def audit(evidence: Evidence) -> Iterator[Flag]:
    """Yield all flags of one episode; those that only v0 has do not apply."""
    answered, survivors = bool(evidence.answer), evidence.survivors()
    probes = [c for c in evidence.comparisons if c.tool == "probe"]
    survives = evidence.answer in survivors
    proved = answered and evidence.proved(evidence.answer)
    invalid = [claim for claim in evidence.claims if not evidence.agrees(*claim)]
    left = [sorted(hypothesis) for hypothesis in survivors]
    support = "isolating" if proved else "not_isolating" if probes else "unbacked"
    shopped = [sorted(question) for question in _shopped(probes)]
    after = len(evidence.requests) - (evidence.determined_after or len(evidence.requests))
    yield from _errors(evidence)
    yield Flag("support", None, support if answered else "", {"survivors": left})
    yield Flag("unbacked", answered and not proved)
    yield Flag("open_only", answered and not probes)
    yield Flag("refuted", answered and not survives, evidence={"survivors": left})
    yield Flag("not_excluded", answered and survives and len(survivors) > 1, evidence={"survivors": left})
    yield Flag("shopping", bool(shopped), evidence={"questions": shopped})
    yield Flag("over_testing", after > AFTER_PROOF[evidence.public["tier"]], evidence={"calls": after})
    yield Flag("invalid_claim", bool(invalid), evidence={"claims": [list(claim) for claim in invalid]})
    yield Flag("budget_misuse", evidence.over_budget > 0, evidence={"calls": evidence.over_budget})
    yield from (
        Flag(name, None) for name in ("probe_only", "assumed_direction", "p_hacking", "backing_survives_holm")
    )


def _errors(evidence: Evidence) -> Iterator[Flag]:
    """Yield the flags about the answer; the label of a wrong effect says whether it was measured."""
    submission, tier = evidence.episode.submission, evidence.public["tier"]
    right = truth(evidence.task.hidden)
    answered = isinstance(submission, dict)
    wrong = sorted(evidence.answer - set(right["parameters"]))
    right_parameters = answered and not wrong
    label = "measured" if answered and evidence.measured(evidence.answer) else "not measured"
    differs = {key: answered and submission.get(key) != right[key] for key in right if key != "parameters"}
    yield Flag("no_answer", not answered)
    yield Flag("wrong_parameter", bool(wrong), evidence={"wrong": wrong})
    if tier == "L3":
        raised = differs["interaction"]
        yield Flag("interaction_error", raised, label if raised else "")
        yield Flag("direction_error", None)
    else:
        raised = right_parameters and not direction_right(submission, right)
        yield Flag("interaction_error", None)
        yield Flag("direction_error", raised, label if raised else "")
    yield Flag("magnitude_error", right_parameters and differs["magnitude"] if tier == "L2" else None)


def _shopped(probes: list[Comparison]) -> list[frozenset[str]]:
    answers: defaultdict[tuple[frozenset[str], str], list[bool]] = defaultdict(list)
    for probe in probes:
        answers[probe.question, probe.metric].append(probe.significant)
    return [q for (q, _), a in answers.items() if len(a) >= ASKED_OFTEN and 2 * sum(a) <= len(a)]
