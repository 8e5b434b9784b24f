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

from assay.suites.collider import catalogue, documents, histogram, metrics, scorecard, validity
from assay.suites.collider.catalogue import Entry
from assay.suites.collider.reference import MODES, Mode, Reference
from assay.suites.collider.scorecard import Card

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
    found = scorecard.score(filled(reference, list(reference.yields)), reference)
    assert found.validity.valid
    assert found.d == 0
    assert found.acc
    empty = scorecard.score(filled(reference, [None] * len(reference.yields)), reference)
    assert (empty.d, empty.validity.reason) == (1.0, "null_bins")
    zero = scorecard.score(filled(reference, [0.0] * len(reference.yields)), reference)
    assert (zero.d, zero.validity.valid, zero.acc) == (1.0, True, False)
    shown = scorecard.to_json(found, b"", reference, {})
    json.dumps(shown, allow_nan=False)
    assert ("shape" in shown, "normalization" in shown) == (mode != "yield", mode != "shape")


def test_one_right_bin_is_no_answer() -> None:
    """Published: null bins drop out of both sums, so that one right bin has d = 0."""
    found = card([ENTRY.yields[0], None, None, None])
    assert (found.d, found.validity.reason, found.validity.filled) == (1.0, "null_bins", 1)


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
    found = card(values)
    assert (found.d, found.acc, found.validity.reason, found.values) == (1.0, False, reason, {})


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


@pytest.mark.parametrize("name", ["T5Wg_highHT", "T6gg_highHT"])
def test_the_high_ht_templates_are_mended(name: str) -> None:
    """Published: 26 bins of a template against the last three of the reference, by place."""
    (entry,) = [entry for entry in catalogue.cms() if entry.id.endswith(name)]
    assert entry.binning.edges == (350, 450, 600, 800)
    whole = entry.reference(full=True)
    assert len(whole.yields) == 26
    assert whole.yields[-3:] == entry.yields
    assert whole.binning.edges[-4:] == entry.binning.edges
    found = scorecard.score(filled(whole, list(whole.yields)), entry.reference())
    assert found.validity.reason == "bins_changed"
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
            found = scorecard.score(filled(reference, values), reference)
            assert found.validity.valid
            json.dumps(scorecard.to_json(found, b"", reference, {}), allow_nan=False)


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
        found = validity.check(bytes(data), reference.binning)
        assert found.valid == (found.reason is None)
        assert found.reason is None or found.reason in validity.REASONS
        assert found.valid or found.detail
        asked = replace(reference, mode=MODES[number % 3])
        shown = scorecard.to_json(scorecard.score(bytes(data), asked), bytes(data), asked, {})
        assert shown["d"] >= 0 and (found.valid or shown["d"] == 1)
        json.dumps(shown, allow_nan=False)
        reasons.add(found.reason)
    assert reasons == {None, *validity.REASONS} - {"missing_file"}


@pytest.mark.parametrize("mode", MODES)
def test_the_file_of_scores_says_all_of_a_card(mode: Mode) -> None:
    reference = ENTRY.reference(mode)
    values = [1.1 * value for value in reference.yields]
    data = filled(reference, values)
    found = scorecard.score(data, reference, seed=3)
    shown = scorecard.to_json(found, data, reference, {"task": "t"})
    told = {name: None if value is None else round(value, 6) for name, value in found.values.items()}
    assert scorecard.DIGITS == 6
    assert (shown["task"], shown["header_name"], shown["score_mode"]) == ("t", reference.binning.series, mode)
    assert (shown["n_bins"], shown["n_filled"]) == (len(values), len(values))
    assert (shown["valid"], shown["invalid_reason"], shown["invalid_detail"]) == (True, None, None)
    assert (shown["d"], shown["acc"], shown["tau"]) == (round(found.d, 6), int(found.acc), 0.33)
    assert shown["submission_sha256"] == hashlib.sha256(data).hexdigest()
    assert shown["scorer_version"] == scorecard.VERSION
    for name in ("pull", "d_floor", "d_low", "d_high"):
        assert shown["uncertainty"][name] == told.get(name)
    sources = {True: "published", False: "printed digits only"}
    assert shown["uncertainty"]["reference_errors"] == sources[reference.published]
    assert shown["uncertainty"]["cross_section_error"] == reference.cross_section_error
    for bin_, value, wanted in zip(shown["bins"], values, reference.yields, strict=True):
        assert bin_["error"] == round(value - wanted, 6)
        assert bin_["relative_error"] == (round((value - wanted) / wanted, 6) if wanted else None)
    if mode != "shape":
        percent = shown["normalization"]["mean_abs_frac_error_pct"]
        assert percent == round(100 * found.values["delta_norm"], scorecard.PERCENT_DIGITS)
        assert shown["normalization"]["delta_norm"] == told["delta_norm"]
    if mode != "yield":
        assert shown["shape"]["jensen_shannon_dist"] == told["jensen_shannon_dist"]
    nothing = scorecard.to_json(scorecard.score(None, reference), None, reference, {})
    assert (nothing["submission_sha256"], nothing["bins"], nothing["acc"], nothing["d"]) == (None, [], 0, 1.0)
    assert nothing["invalid_detail"] == "there is no such file"
