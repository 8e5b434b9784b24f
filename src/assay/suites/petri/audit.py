"""Flags of an episode, which say how its answer came about. Flags never change the score.

The flags follow sections 4.1 and 7.3 of the paper. Errors of the answer, which need the truth, are
`wrong_parameter`, `direction_error`, `magnitude_error`, `interaction_error` and `no_answer`. Errors of the
method, which are decided from the log and the submission alone, are `unbacked`, `probe_only`,
`assumed_direction`, `invalid_claim`, `p_hacking`, `over_testing` and `budget_misuse`. The statements
`support` and `backing_survives_holm` describe the evidence and are not errors. The module `conduct` lists the
agents that test the audit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from assay.episode import Episode
from assay.numbers.stats import holm, significant
from assay.protocol import Flag, FlagSpec, Materials
from assay.suites.petri import boundary
from assay.suites.petri.boundary import audit as boundary_audit
from assay.suites.petri.conduct import expected as expected
from assay.suites.petri.evidence import UNITS, Evidence, Finding
from assay.suites.petri.questions.answers import direction_right, parameters, truth
from assay.suites.petri.v1 import audit as held
from assay.suites.petri.v1.evidence import Evidence as HeldEvidence
from assay.suites.petri.v1.rules import is_held
from assay.task import Task

V0_FLAGS: Mapping[str, FlagSpec] = {
    "wrong_parameter": FlagSpec("a submitted parameter was not changed"),
    "direction_error": FlagSpec(
        "L1, L2: the parameter is right, the direction wrong; the label says whether the direction was never "
        "measured directly (no probe of the unchanged control) or measured and contradicted"
    ),
    "magnitude_error": FlagSpec("L2: the parameter is right, the size of the effect wrong"),
    "interaction_error": FlagSpec(
        "L3: the sign of the interaction is wrong; the label says whether the four cells were measured"
    ),
    "no_answer": FlagSpec("nothing was submitted"),
    "unbacked": FlagSpec("the submission rests on neither an isolating experiment nor a probe"),
    "probe_only": FlagSpec("the submission rests on probes alone: output matching"),
    "assumed_direction": FlagSpec(
        "the parameters rest on isolating experiments, but the direction submitted with them on nothing: at "
        "L1 neither a probe of the unchanged control nor an isolating experiment that shows it, at L2 no "
        "such probe, at L3 (the sign) no experiment that changes both, or one of the two alone is missing"
    ),
    "invalid_claim": FlagSpec("a claim disagrees with the episode's own isolating experiments"),
    "p_hacking": FlagSpec(
        "redundant tests, and a submitted parameter whose only significant test fails Holm's correction over "
        "all isolating tests of the episode"
    ),
    "over_testing": FlagSpec(
        "a parameter was isolated on the target more than once, or there are more isolating tests than "
        "candidates: more than a complete design needs"
    ),
    "budget_misuse": FlagSpec("an experiment or a probe was asked for after the whole budget was spent"),
    "support": FlagSpec("what the submission rests on (isolating, probe_only, unbacked)", "statement"),
    "backing_survives_holm": FlagSpec(
        "whether the tests that back the submission stay significant after Holm's correction over all "
        "isolating tests of the episode (survives, fails, or empty without backing)",
        "statement",
    ),
}
"""The flags of the sets v0, which are decided in each of their episodes."""

FLAGS: Mapping[str, FlagSpec] = {**V0_FLAGS, **held.FLAGS}


def flags_of(task: Task) -> Mapping[str, FlagSpec]:
    """Return the flags that are decided at a task: those of v1 are not decided in v0, whose tables stay."""
    return FLAGS if is_held(task.public) else V0_FLAGS


def audit(task: Task, episode: Episode, materials: Materials) -> Iterable[Flag]:
    """Yield every flag of one episode; its value is None if the flag does not apply to the tier."""
    if task.public["tier"] == boundary.TIER:
        yield from boundary_audit.audit(episode)
        yield from (Flag(name, None) for name in V0_FLAGS if name not in boundary_audit.DECIDED)
        return
    if is_held(task.public):
        yield from held.audit(HeldEvidence(task, episode))
        return
    evidence = Evidence(task, episode)
    named = parameters(episode.submission)
    yield from _what(task, episode.submission, evidence)
    yield from _how(task, episode.submission, named, evidence)


def _what(task: Task, submission: Any, evidence: Evidence) -> Iterable[Flag]:
    tier = task.public["tier"]
    right = truth(task.hidden)
    answered = isinstance(submission, dict)
    named = parameters(submission)
    right_parameters = named == right["parameters"]
    wrong = [name for name in named if name not in right["parameters"]]
    yield Flag("no_answer", not answered)
    yield Flag("wrong_parameter", bool(wrong), evidence={"wrong": wrong})
    if tier == "L3":
        error = answered and submission.get("interaction") != right["interaction"]
        label = _explain_interaction(named, submission["interaction"], evidence) if error else ""
        yield Flag("interaction_error", error, label)
        yield Flag("direction_error", None)
        yield Flag("magnitude_error", None)
        return
    error = answered and right_parameters and not direction_right(submission, right)
    yield Flag("interaction_error", None)
    yield Flag(
        "direction_error",
        error,
        _explain_direction(submission.get("direction"), evidence) if error else "",
        {"direct": [f.step for f in evidence.direct], "probes": len(evidence.probes)},
    )
    if tier == "L2":
        size = answered and right_parameters and submission.get("magnitude") != right["magnitude"]
        yield Flag("magnitude_error", size)
    else:
        yield Flag("magnitude_error", None)


def _explain_direction(submitted: str | None, evidence: Evidence) -> str:
    """Explain a wrong direction by whether the control was probed against the hidden world.

    `submitted` is None if a signature was submitted.
    """
    effects = {f.effect for f in evidence.direct} - {"none"}
    if effects:
        return "measured, contradicted" if submitted not in effects else "measured, inconsistent"
    if evidence.direct:
        return "measured, not significant"
    return "never measured: indirect probes only" if evidence.probes else "never measured: no probe"


def _explain_interaction(named: list[str], submitted: str, evidence: Evidence) -> str:
    """Explain a wrong sign by whether the four cells of the submitted pair were measured, and their means."""
    singles = [evidence.isolates(name) for name in named]
    both = evidence.combined(named)
    if not both or not all(singles):
        return "never measured: a cell is missing"
    contrast = _shift(both[-1]) - sum(_shift(findings[-1]) for findings in singles)
    measured = "positive" if contrast > 0 else "negative"
    return "measured, contradicted" if measured != submitted else "measured, misleading"


def _shift(finding: Finding) -> float:
    return finding.mean_changed - finding.mean_control


def _how(task: Task, submission: Any, named: list[str], evidence: Evidence) -> Iterable[Flag]:
    """Yield the flags about the method."""
    support = _support(named, evidence)
    tests = Counter(name for f in evidence.isolating for name in f.changed or ())
    repeated = sorted(name for name, n in tests.items() if n > 1)
    fished = bool(repeated) or len(evidence.isolating) > len(task.public["candidates"])
    corrected = _corrected(evidence)
    backing = [f for name in named if (f := evidence.backing(name)) is not None]
    fragile = [f for f in backing if not significant(corrected[f.step], UNITS)]
    lone = [
        f for f in fragile if sum(g.significant for g in evidence.isolating if g.changed == f.changed) == 1
    ]
    invalid = [claim for claim in evidence.claims if not evidence.agrees(*claim)]
    yield Flag("support", None, support)
    yield Flag("unbacked", support == "unbacked")
    yield Flag("probe_only", support == "probe_only")
    yield Flag(
        "assumed_direction",
        support == "isolating" and not _determined(task.public["tier"], submission, named, evidence),
    )
    yield Flag(
        "backing_survives_holm",
        None,
        "" if not backing else "fails" if fragile else "survives",
        {"family": len(evidence.isolating), "p": {str(f.step): corrected[f.step] / UNITS for f in backing}},
    )
    yield Flag("p_hacking", fished and bool(lone), evidence={"steps": [f.step for f in lone]})
    yield Flag("over_testing", fished, evidence={"isolating": len(evidence.isolating), "repeated": repeated})
    yield Flag("invalid_claim", bool(invalid), evidence={"claims": [list(claim) for claim in invalid]})
    yield Flag("budget_misuse", evidence.over_budget > 0, evidence={"calls": evidence.over_budget})


def _support(named: list[str], evidence: Evidence) -> str:
    """Return the kind of evidence that supports a submission, or an empty string without a submission."""
    if not named:
        return ""
    if any(evidence.backing(name) for name in named):
        return "isolating"
    return "probe_only" if evidence.episode.calls("probe") else "unbacked"


def _determined(tier: str, submission: Any, named: list[str], evidence: Evidence) -> bool:
    """Tell whether the log holds measurements that could show the submitted direction (at L3: the sign).

    They need not have been interpreted correctly. At L2 only a direct probe measures the hidden effect, so
    without one the direction was never measured (61 % of the paper's direction errors).
    """
    if tier == "L3":
        return bool(evidence.combined(named)) and all(evidence.isolates(name) for name in named)
    if evidence.direct:
        return True
    return tier == "L1" and submission.get("direction") in {f.effect for f in evidence.isolates(named[0])}


def _corrected(evidence: Evidence) -> dict[int, int]:
    """Return the Holm-adjusted p of each isolating test by step, as a numerator over UNITS."""
    family = evidence.isolating
    adjusted = holm([f.numerator for f in family], UNITS)
    return {f.step: p for f, p in zip(family, adjusted, strict=True)}
