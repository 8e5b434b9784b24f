"""Validity first, and every defect of the published scorer: none is copied. All 44 tasks; 10,000 broken
files.
"""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import replace

import pytest
import yaml
from tests.suites.collider.mocks import mock_task

from assay.agents.solver import SolverAgent
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.suite import suite
from assay.suites.collider import scoring
from assay.suites.collider.audit import audit
from assay.suites.collider.formats import documents, histogram
from assay.suites.collider.formats.histogram import Binning
from assay.suites.collider.generators import registry as generators
from assay.suites.collider.measures import metrics, scorecard, validity
from assay.suites.collider.measures.scorecard import Card
from assay.suites.collider.problems import catalogue
from assay.suites.collider.problems.catalogue import Entry
from assay.suites.collider.problems.reference import MODES, Mode, Reference

ENTRIES = [*catalogue.cms(), *catalogue.atlas()]
ENTRY = catalogue.cms()[0]


def filled(reference: Reference, values: object) -> bytes:
    return histogram.write(reference.binning, values).encode()  # type: ignore[arg-type]


def card(values: object, entry: Entry = ENTRY) -> Card:
    reference = entry.reference()
    return scorecard.score(filled(reference, values), reference)


def replaced(old: str, new: str) -> validity.Validity:
    reference = ENTRY.reference()
    text = filled(reference, list(ENTRY.yields)).decode()
    assert old in text
    return validity.check(text.replace(old, new, 1).encode(), reference.binning)


def test_ten_tasks_of_the_paper_and_thirty_four_more() -> None:
    assert (len(catalogue.cms()), len(catalogue.atlas())) == (10, 34)
    assert len({entry.id for entry in ENTRIES}) == 44
    sums = {entry.id.partition("_sim-")[2]: round(sum(entry.yields), 2) for entry in catalogue.cms()}
    assert sums["TChiWZ"] == 5.41
    assert sums["T5Wg"] == 54.85
    assert sums["TChiWg"] == 115.84
    assert sums["T2tt_SRG"] == 6.93
    assert sums["T2tt_comp"] == 7.9
    assert sums["T2bW_SRG"] == 2.87


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_a_perfect_answer_has_distance_zero(entry: Entry, mode: Mode) -> None:
    reference = entry.reference(mode)
    scored = scorecard.score(filled(reference, list(reference.yields)), reference)
    assert scored.validity.valid
    assert scored.d == 0
    assert scored.acc
    empty = scorecard.score(filled(reference, [None] * len(reference.yields)), reference)
    assert (empty.d, empty.validity.reason) == (1.0, "null_bins")
    zero = scorecard.score(filled(reference, [0.0] * len(reference.yields)), reference)
    assert (zero.d, zero.validity.valid, zero.acc) == (1.0, True, False)
    content = scorecard.to_json(scored, b"", reference, {})
    json.dumps(content, allow_nan=False)
    assert ("shape" in content, "normalization" in content) == (mode != "yield", mode != "shape")


def test_one_right_bin_is_no_answer() -> None:
    """Published: null bins drop out of both sums, so that one right bin has d = 0."""
    scored = card([ENTRY.yields[0], None, None, None])
    assert (scored.d, scored.validity.reason, scored.validity.filled) == (1.0, "null_bins", 1)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([-0.1, 1, 1, 1], "negative"),
        (["0.45", 1, 1, 1], "non_numeric"),
        ([True, 1, 1, 1], "non_numeric"),
        ([float("nan"), 1, 1, 1], "non_finite"),
        ([float("inf"), 1, 1, 1], "non_finite"),
        ([1e200, 1, 1, 1], "non_finite"),
        ([[1], 1, 1, 1], "non_numeric"),
        ([None, "x", -1, 1], "null_bins"),
    ],
)
def test_what_is_no_yield_is_not_scored(values: list[object], reason: str) -> None:
    scored = card(values)
    assert (scored.d, scored.acc, scored.validity.reason, scored.values) == (1.0, False, reason, {})


def test_bins_are_matched_by_their_edges() -> None:
    assert replaced("low: 100.0", "low: 110.0").reason == "bins_changed"
    assert replaced("low: 100.0", "low: 100").valid
    assert replaced("low: 100.0", "low: 100.00000001").valid
    assert replaced("low: 100.0", "low: '100'").reason == "bins_changed"
    assert replaced("name: TChiWZ_550_200", "name: TChiWZ").reason == "series_missing"
    assert replaced("dependent_variables", "independent").reason == "no_histogram"
    assert replaced("  - value: 0.45\n", "").reason == "bins_changed"
    assert replaced("value: 0.45", "value: 0.45\n    value: 0.5").reason == "parse_error"
    assert validity.check(None, ENTRY.binning).reason == "missing_file"


def test_an_edge_at_infinity_is_none_of_the_template() -> None:
    assert replaced("low: 100.0", "low: .inf").reason == "bins_changed"
    assert replaced("low: 100.0", "low: .nan").reason == "bins_changed"


LABELLED = Binning("T1", "region", "", (0.0, 1.0, 2.0), ("SR1 " + "x" * 46, "2"))
"""Two bins with names in place of edges, the first of 50 characters."""


@pytest.mark.parametrize(
    ("bins", "detail"),
    [
        ([{"value": LABELLED.labels[0]}, {"value": "2"}], None),
        ([{"value": LABELLED.labels[0]}, {"value": 2}], None),
        ([{"value": LABELLED.labels[0]}, {"value": 3}], "bin 1 is not '2'"),
        ([{"value": LABELLED.labels[0]}, "2"], "bin 1 is not '2'"),
        ([{"value": "SR1"}, {"value": "2"}], f"bin 0 is not 'SR1 {'x' * 36}'"),
    ],
)
def test_bins_with_names_are_matched_by_them(bins: list[object], detail: str | None) -> None:
    series = {"header": {"name": "T1"}, "values": [{"value": 1.0}, {"value": 2.0}]}
    document = {"dependent_variables": [series], "independent_variables": [{"values": bins}]}
    scored = validity.check(json.dumps(document).encode(), LABELLED)
    assert scored.yields == ((1.0, 2.0) if detail is None else None)
    assert (scored.reason, scored.detail) == (None if detail is None else "bins_changed", detail or "")


PLAIN = Binning("T1", "MET", "GeV", (100.0, 250.5))
"""One bin."""


def one_bin(**other: object) -> dict[str, object]:
    """A series with the value 1 for it, but for what is other."""
    return {"header": {"name": "T1"}, "values": [{"value": 1.0}], **other}


@pytest.mark.parametrize(
    ("document", "reason", "detail"),
    [
        ({"values": [1.0]}, "no_histogram", "no document holds dependent_variables"),
        ({"dependent_variables": "T1"}, "no_histogram", "dependent_variables is no list of series"),
        ({"dependent_variables": []}, "no_histogram", "dependent_variables is no list of series"),
        ({"dependent_variables": ["T1"]}, "series_missing", "the series 'T1' is missing"),
        ({"dependent_variables": [one_bin(), one_bin()]}, "series_missing", "the series 'T1' occurs twice"),
        (
            {"dependent_variables": [one_bin(values=1.0)]},
            "no_histogram",
            "the series 'T1' has no list of values",
        ),
        (
            {"dependent_variables": [one_bin(values=[{"errors": 1.0}])]},
            "no_histogram",
            "an entry of the values has no `value`",
        ),
        (
            {"dependent_variables": [one_bin()], "independent_variables": []},
            "bins_changed",
            "independent_variables has other bins than the template",
        ),
        (
            {"dependent_variables": [one_bin()], "independent_variables": [{"values": ["100 - 250.5"]}]},
            "bins_changed",
            "bin 0 is not 100 to 250.5",
        ),
        (
            {"dependent_variables": [one_bin(values=[{"value": "9" * 41}])]},
            "non_numeric",
            f"bin 0: '{'9' * 40}'",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(document: object, reason: str, detail: str) -> None:
    scored = validity.check(json.dumps(document).encode(), PLAIN)
    assert (scored.yields, scored.reason, scored.detail, scored.filled) == (None, reason, detail, 0)


@pytest.mark.parametrize("name", ["T5Wg_highHT", "T6gg_highHT"])
def test_the_high_ht_templates_are_mended(name: str) -> None:
    """Published: 26 bins of a template against the last three of the reference, by place."""
    (entry,) = [entry for entry in catalogue.cms() if entry.id.endswith(name)]
    assert entry.binning.edges == (350, 450, 600, 800)
    whole = entry.reference(full=True)
    assert len(whole.yields) == 26
    assert whole.yields[-3:] == entry.yields
    assert whole.binning.edges[-4:] == entry.binning.edges
    scored = scorecard.score(filled(whole, list(whole.yields)), entry.reference())
    assert scored.validity.reason == "bins_changed"
    assert scorecard.score(filled(whole, list(whole.yields)), whole).d == 0
    by_place = metrics.distance(whole.yields[:3], entry.yields)
    assert by_place == pytest.approx({"T5Wg_highHT": 0.934, "T6gg_highHT": 0.998}[name], abs=5e-4)


def test_other_writers_of_yaml_and_json_are_read() -> None:
    reference = ENTRY.reference()
    text = filled(reference, list(ENTRY.yields)).decode()
    document = yaml.safe_load(text)
    as_json = json.dumps(document).replace("0.45", "4.5e-1")
    for variant in (
        as_json,
        "\ufeff" + text,
        text.replace("\n", "\r\n"),
        "---\n" + text,
        "a: 1\n---\n" + text,
    ):
        assert scorecard.score(variant.encode(), reference).d == 0
    shared = document["dependent_variables"][0]["values"]
    document["dependent_variables"][0]["errors"] = shared  # PyYAML writes an alias
    assert scorecard.score(yaml.safe_dump(document).encode(), reference).d == 0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-05", 1e-05),
        ("no", "no"),
        ("1:30", "1:30"),
        ("2026-13-45", "2026-13-45"),
        ("010", 10),
        ("0x10", 16),
        (".inf", float("inf")),
        ("-.5", -0.5),
        ("~", None),
        ("'1'", "1"),
        ("True", True),
    ],
)
def test_values_are_those_of_the_core_schema(text: str, value: object) -> None:
    assert documents.read(f"a: {text}".encode()) == [{"a": value}]


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe",
        b"[" * 100_000,
        b"- " * 100_000,
        b"a: *nothing",
        b"? [1]\n: 2",
        b"a: 1\na: 2",
        b"a: !!python/object/apply:os.system [x]",
        b"a" * (documents.LARGEST + 1),
        b"{a: [b",
        b"\x00",
        b"[" + b"1," * 200_000 + b"]",
    ],
)
def test_hostile_files_are_refused(data: bytes) -> None:
    with pytest.raises(documents.Unreadable):
        documents.read(data)
    assert validity.check(data, ENTRY.binning).reason == "parse_error"


PIECES = (
    b"null~-~value~[~]~{~}~: ~\n~&a ~*a~!!int ~1e999~nan~.nan~'~\"~\x00~\xff~---\n~...~%TAG~|~>~0x~true~"
    b"- low: 1~\t~#~<<: ~?~-1~.inf~1.5~" + b"9" * 500
)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("value", [1e100, 1e-300, 5e-324, 1e-7, 10**60, 0])
def test_yields_of_any_size_are_scored(value: float, mode: Mode) -> None:
    for entry in ENTRIES[::5]:
        reference = entry.reference(mode)
        for values in ([value] * len(reference.yields), [value, *[0.0] * (len(reference.yields) - 1)]):
            scored = scorecard.score(filled(reference, values), reference)
            assert scored.validity.valid
            json.dumps(scorecard.to_json(scored, b"", reference, {}), allow_nan=False)


def test_ten_thousand_broken_files_end_with_a_reason() -> None:
    draw = random.Random(10)
    reference = ENTRY.reference()
    texts = [filled(entry.reference(), list(entry.yields)) for entry in (ENTRY, ENTRY, *ENTRIES[1:4])]
    pieces = PIECES.split(b"~")
    reasons = set()
    for number in range(10_000):
        data = bytearray(draw.choice(texts))
        for _ in range(draw.randint(1, 4)):
            at = draw.randrange(len(data) + 1)
            if draw.random() < 0.3:  # a value
                at = max(0, data.find(b"value: ", at)) + len(b"value: ")
                data[at : data.find(b"\n", at)] = draw.choice(pieces)
            elif draw.random() < 0.5:
                data[at : at + draw.randint(0, 40)] = draw.choice(pieces)
            elif draw.random() < 0.5:
                data[at : at + 1] = bytes([draw.randrange(256)])
            else:
                del data[at : at + draw.randint(1, 200)]
        scored = validity.check(bytes(data), reference.binning)
        assert scored.valid == (scored.reason is None)
        assert scored.reason is None or scored.reason in validity.REASONS
        assert scored.valid or scored.detail
        asked = replace(reference, mode=MODES[number % 3])
        content = scorecard.to_json(scorecard.score(bytes(data), asked), bytes(data), asked, {})
        assert content["d"] >= 0 and (scored.valid or content["d"] == 1)
        json.dumps(content, allow_nan=False)
        reasons.add(scored.reason)
    assert reasons == {None, *validity.REASONS} - {"missing_file"}


@pytest.mark.parametrize("mode", MODES)
def test_the_file_of_scores_says_all_of_a_card(mode: Mode) -> None:
    reference = ENTRY.reference(mode)
    values = [1.1 * value for value in reference.yields]
    data = filled(reference, values)
    scored = scorecard.score(data, reference, seed=3)
    content = scorecard.to_json(scored, data, reference, {"task": "t"})
    rounded = {name: None if value is None else round(value, 6) for name, value in scored.values.items()}
    assert scorecard.DIGITS == 6
    assert (content["task"], content["header_name"], content["score_mode"]) == (
        "t",
        reference.binning.series,
        mode,
    )
    assert (content["n_bins"], content["n_filled"]) == (len(values), len(values))
    assert (content["valid"], content["invalid_reason"], content["invalid_detail"]) == (True, None, None)
    assert (content["d"], content["acc"], content["tau"]) == (round(scored.d, 6), int(scored.acc), 0.33)
    assert content["submission_sha256"] == hashlib.sha256(data).hexdigest()
    assert content["scorer_version"] == scorecard.VERSION
    for name in ("pull", "d_floor", "d_low", "d_high"):
        assert content["uncertainty"][name] == rounded.get(name)
    sources = {True: "published", False: "printed digits only"}
    assert content["uncertainty"]["reference_errors"] == sources[reference.published]
    assert content["uncertainty"]["cross_section_error"] == reference.cross_section_error
    for bin_, value, wanted in zip(content["bins"], values, reference.yields, strict=True):
        assert bin_["error"] == round(value - wanted, 6)
        assert bin_["relative_error"] == (round((value - wanted) / wanted, 6) if wanted else None)
    if mode != "shape":
        percent = content["normalization"]["mean_abs_frac_error_pct"]
        assert percent == round(100 * scored.values["delta_norm"], scorecard.PERCENT_DIGITS)
        assert content["normalization"]["delta_norm"] == rounded["delta_norm"]
    if mode != "yield":
        assert content["shape"]["jensen_shannon_dist"] == rounded["jensen_shannon_dist"]
    nothing = scorecard.to_json(scorecard.score(None, reference), None, reference, {})
    assert (nothing["submission_sha256"], nothing["bins"], nothing["acc"], nothing["d"]) == (None, [], 0, 1.0)
    assert nothing["invalid_detail"] == "there is no such file"


def test_the_file_of_scores_by_hand() -> None:
    """Yields 4 and 2 for 2 and 4: p = (2/3, 1/3), q = (1/3, 2/3)."""
    reference = Reference(Binning("T1", "MET", "GeV", (0.0, 10.0, 30.0)), (2.0, 4.0), (0.1, 0.2))
    data = filled(reference, [4.0, 2.0])
    content = scorecard.to_json(scorecard.score(data, reference), data, reference, {})
    assert content["bins"] == [
        {"low": 0.0, "high": 10.0, "error": 2.0, "relative_error": 1.0, "reference_error": 0.1},
        {"low": 10.0, "high": 30.0, "error": -2.0, "relative_error": -0.5, "reference_error": 0.2},
    ]
    # what is in percent has three digits, other numbers six
    assert content["shape"]["mean_abs_frac_error_pct"] == 75.0
    assert (content["shape"]["d_bar"], content["shape"]["d_max"]) == (0.333333, 0.333333)
    assert content["uncertainty"]["reference_errors"] == "printed digits only"
    assert content["scorer_version"] == 1
    published = scorecard.to_json(
        scorecard.score(data, reference), data, replace(reference, published=True), {}
    )
    assert published["uncertainty"]["reference_errors"] == "published"


def test_numbers_in_percent_have_three_digits() -> None:
    """Yields 1 and 2 for 3 and 4: |1/3 - 3/7| / (3/7) = 2/9, |2/3 - 4/7| / (4/7) = 1/6, in the mean 7/36."""
    reference = Reference(Binning("T1", "MET", "GeV", (0.0, 10.0, 30.0)), (3.0, 4.0), (0.1, 0.2))
    data = filled(reference, [1.0, 2.0])
    content = scorecard.to_json(scorecard.score(data, reference), data, reference, {})
    assert content["shape"]["mean_abs_frac_error_pct"] == 19.444
    assert content["normalization"]["mean_abs_frac_error_pct"] == 57.143  # 4 of 7
    assert content["normalization"]["delta_norm"] == 0.571429


def test_scores_make_no_event_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether that can be done is the audit's question, and takes as long as the run."""
    made: list[str] = []
    task, blobs = mock_task(), MemoryBlobs()
    collider = suite("collider")
    solver = collider.find("solvers", "SOLVERS", "mock-honest")
    materials = materials_for(collider, blobs)
    episode = play(collider, task, "mock-honest", SolverAgent(solver, task), 0, materials)
    monkeypatch.setattr(generators, "digest", made.append)
    assert next(iter(scoring.score(task, episode, materials))).metric == "score"
    assert made == []
    list(audit(task, episode, materials))
    assert made
