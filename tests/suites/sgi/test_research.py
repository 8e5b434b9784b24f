"""Deep research: the reader gets everything right, each lapse leads into its own trap, nothing leaks."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction

import pytest
from tests.suites.sgi.test_generators import SEEDS, scores, uniform

from assay.episodes.artefacts import KeyedArtefacts
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Materials, Result
from assay.suite import Suite
from assay.suites.sgi.columns import column
from assay.suites.sgi.families import DISCIPLINES, RESEARCH_TYPES
from assay.suites.sgi.metrics.research import exact_match
from assay.suites.sgi.research import items, reader
from assay.suites.sgi.research.evidence import FAULTS, Cell, NotFound, half_up, truncated
from assay.suites.sgi.research.library import Library
from assay.suites.sgi.research.literature import DOCUMENTS, PAPERS
from assay.suites.sgi.research.papers import from_lines, to_lines
from assay.suites.sgi.research.templates import TEMPLATES, parse_question
from assay.suites.sgi.research.wrong import WRONG
from assay.suites.sgi.tasks import SETS, generate
from assay.suites.sgi.text.contracts import tagged


def of_type(kind: str, seed: int) -> dict[str, object]:
    index = next(i for i in range(4) if items.cell(seed, i)[0] == kind)
    return items.generate(seed, index, 1 + seed % 4)


@pytest.mark.parametrize("kind", RESEARCH_TYPES)
def test_questions(kind: str) -> None:
    """A few seeds of each type, at all levels."""
    check_questions(kind, range(4))


@pytest.mark.full
@pytest.mark.parametrize("kind", RESEARCH_TYPES)
def test_questions_on_many_seeds(kind: str) -> None:
    check_questions(kind, range(SEEDS))


def check_questions(kind: str, seeds: range) -> None:
    for seed in seeds:
        row = of_type(kind, seed)
        items.validate(row)
        items.verify_frozen(row)
        full = scores("deep_research", row, items.solve(row))
        assert (full["headline"], full["em_strict"], full["sla"]) == (1, 1, 1)
        for name, make in WRONG.items():
            wrong = make(row)
            found = scores("deep_research", row, wrong.reply)
            assert (found["headline"], found["sla"]) == pytest.approx((wrong.em, wrong.sla)), name
        check_leaks(row)
        check_reading(row)


def check_leaks(row: dict[str, object]) -> None:
    """No number of the answer is in the prompt, nor any value on the way to it."""
    prompt = str(row["question"])
    numbers = set(re.findall(r"\d+\.?\d*", prompt))
    assert not numbers & {part for part in str(row["answer"]).split(", ") if part[0].isdigit()}
    for step in row["x_steps"]:  # type: ignore[attr-defined]
        if step["kind"] in ("read", "convert") and "." in step["value"]:
            assert step["value"] not in numbers


def check_reading(row: dict[str, object]) -> None:
    """The reader, through the tools: right, step by step; without one care exactly the trap's answer."""
    library = Library(items.corpus(row))
    prompt = str(row["question"])
    text = reader.answer(prompt, library.call)
    found = scores("deep_research", row, text or "")
    assert (found["headline"], found["sla"]) == (1, 1), row["idx"]
    for trap in row["x_traps"]:  # type: ignore[attr-defined]
        text = reader.answer(prompt, library.call, {trap["label"]})
        assert (None if text is None else tagged(text).text) == trap["answer"]
        if text is not None:
            values = {v.metric: v for v in column.score("deep_research", row, text)}
            assert (values["headline"].value, values["headline"].label) == (0, f"trap {trap['label']}")


@pytest.mark.parametrize("index", range(4))
def test_an_item_keeps_its_rules(index: int) -> None:
    """Enough traps that tell from each other; every needed document matters, the others do not."""
    row = items.generate(9, index)
    papers, programme = items.corpus(row), items.asked(row)
    decimals = row["x_response"][0]["decimals"] or 0
    assert len(papers) == PAPERS[row["x_level"]]
    assert len(row["x_docs"]) + len(row["x_docs_read"]) == DOCUMENTS[row["x_level"]]
    answers = [trap["answer"] for trap in row["x_traps"] if trap["answer"] is not None]
    assert len(answers) >= 2
    assert len(set(answers)) == len(answers)
    assert {trap["label"] for trap in row["x_traps"]} <= set(FAULTS)
    assert not any(exact_match(row["answer"], answer, row["x_response"]) for answer in answers)

    def without(doc_id: str) -> str | None:
        return items.fallen(programme, [p for p in papers if p.doc_id != doc_id], (), decimals)

    assert all(without(doc_id) != row["answer"] for doc_id in row["x_docs"])
    others = [p.doc_id for p in papers if p.doc_id not in row["x_docs"]]
    assert all(without(doc_id) == row["answer"] for doc_id in others)


def test_items_do_not_depend_on_each_other() -> None:
    assert items.generate(5, 7) == items.generate(5, 7)
    assert items.generate(5, 7) != items.generate(6, 7)


@pytest.mark.parametrize("root", range(3))
def test_a_thousand_items_are_balanced(root: int) -> None:
    kinds, disciplines, levels = zip(*(items.cell(root, index) for index in range(1000)), strict=True)
    for values, found in (
        (RESEARCH_TYPES, kinds),
        (DISCIPLINES, disciplines),
        (items.LEVELS, levels),
    ):
        assert uniform(Counter(found), dict.fromkeys(values, 1000 / len(values))) > 0.01
    assert len(set(zip(kinds, disciplines, strict=True))) == 40


def test_a_question_is_read_as_it_was_asked() -> None:
    assert len(TEMPLATES) == 14
    assert Counter(t.type for t in TEMPLATES) == dict(zip(RESEARCH_TYPES, (3, 3, 4, 4), strict=True))
    for index in range(28):
        programme = items.asked(items.generate(2, index, 1))
        assert parse_question(programme.template.ask(programme.fields)) == programme
    assert parse_question("What is the meaning of it all?") is None


def test_papers_survive_their_lines() -> None:
    papers = items.corpus(items.generate(1, 0, 1))
    assert from_lines(to_lines(papers)) == papers


def test_search_is_stable_and_tables_show_cells() -> None:
    row = items.generate(1, 1, 2)
    library = Library(items.corpus(row))
    reverse = Library(list(reversed(items.corpus(row))))
    query = str(row["question"]).partition("Question\n")[2].partition("\n")[0]
    hits = library.search(query, 50)
    assert hits == reverse.search(query, 50)
    assert len(hits) == 50
    assert library.search("zzz qqq", 5) == []
    assert not library.call("open", {"doc_id": "D9999"}).ok
    assert not library.call("table", {"doc_id": row["x_docs"][0], "number": 9}).ok
    for paper in items.corpus(row):
        text = library.text(paper.doc_id)
        assert all(report.value in text for report in paper.reports)


def test_without_documents_nothing_is_found() -> None:
    row = items.generate(1, 2, 1)
    assert reader.answer(str(row["question"]), Library([]).call) is None
    assert reader.answer("no question", lambda tool, arguments: Result()) is None
    with pytest.raises(NotFound):
        items.asked(row).run([])


def test_rounding() -> None:
    assert [half_up(Fraction(text), 1) for text in ("0.25", "-0.25", "0.04", "12")] == [
        "0.3",
        "-0.3",
        "0.0",
        "12.0",
    ]
    assert truncated(Fraction("1.99"), 1) == "1.9"


def test_worked_programmes() -> None:
    """tau = 4.7 kOhm x 0.22 uF = 1034 us; pooling of three studies: 4.1000 with standard error 0.04364."""
    by_name = {template.name: template for template in TEMPLATES}

    def cell(value: str, error: str = "0") -> Cell:
        return Cell("X", Fraction(value), Fraction(error), 1, "D0001")

    tau = by_name["time-constant"].compute(
        {"resistance": [cell("4.7")], "capacitance": [cell("220")]}, {}, ()
    )
    assert tau[-1][1] == 1034
    studies = [cell("4.20", "0.10"), cell("4.50", "0.20"), cell("4.05", "0.05")]
    pooled = by_name["pooled"].compute({"studies": studies}, {"quantity": "resistance"}, ())
    assert [half_up(part[1], 5) for part in pooled if isinstance(part[1], Fraction)] == ["4.10000", "0.04364"]


def test_a_program_in_the_reading_room() -> None:
    """Python runs in the box, sees no literature, and its word replays as given."""
    task_set = SETS["research-v0"]
    blobs = MemoryBlobs()
    task = generate(task_set, "research-v0", 0, task_set.seed, blobs)
    suite = Suite("sgi", "assay.suites.sgi")

    class Counts:
        def act(self, brief: Brief, call: Call, stream: Stream) -> None:
            printed = call("python", {"code": "print(4.7 * 220)"})
            assert printed.parts[0]["stdout"] == "1034.0\n"  # type: ignore[index,call-overload]
            assert call("open", {"doc_id": "D0001"}).ok
            assert not call("open", {"doc_id": "nowhere"}).ok

    episode = play(suite, task, "counts", Counts(), 0, Materials(blobs, KeyedArtefacts(suite, (), blobs)))
    assert episode.status == "no_submission", episode.reason
    assert episode.counters["program"] == 1
