"""An episode for readers: the task with its pictures, and the answer beside the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from assay.episode import Episode
from assay.protocol import Flag, Materials, Score
from assay.report.blocks import Block, Cell, Code, Mark, Picture, Text, facts, section, table
from assay.suites.sgi.columns.wet_experiment import gold_program
from assay.suites.sgi.families import Family
from assay.suites.sgi.frame.registry import family_of
from assay.suites.sgi.frame.tasks import is_v1
from assay.suites.sgi.items import Row, item_of
from assay.suites.sgi.metrics import ideas
from assay.suites.sgi.metrics.protocols import tokens
from assay.suites.sgi.metrics.reasoning import letter, matched_readings
from assay.suites.sgi.metrics.research import exact_match, step_accuracy
from assay.suites.sgi.released import answers
from assay.suites.sgi.released.items import is_released
from assay.suites.sgi.text.contracts import choice, json_object, tagged, unfenced
from assay.suites.sgi.text.program import parse, written
from assay.task import Task

RIGHT, WRONG, MISSING = Mark("right", "good"), Mark("wrong", "bad"), Mark("missing", "bad")


def show(
    task: Task, episode: Episode, scores: Sequence[Score], flags: Sequence[Flag], materials: Materials
) -> Iterable[Block]:
    """The question, the answer beside the truth, and the whole reply."""
    item, family = item_of(task), task.public["family"]
    strata = [(name, task.strata.get(name, "")) for name in ("discipline", "type", "arm")]
    yield facts([("family", task.strata["family"].replace("_", " ")), *strata])
    pictures = [
        Picture(ref, f"picture {n} of the task")
        for n, ref in enumerate(task.blobs, 1)
        if ref.media_type.startswith("image/")
    ]
    yield section("Task", *pictures, Text(str(item["question"])))
    reply = episode.submission if isinstance(episode.submission, str) else ""
    if is_released(item):
        yield from answers.view(family, item)
    elif is_v1(item):
        yield from family_of(family).view(item, reply)
    else:
        yield from SHOWN[family](item, reply)
    if reply:
        yield section("The whole reply", Code(reply), folded=True)


def _wet(item: Row, reply: str) -> Iterator[Block]:
    """The protocol beside the reference, step by step."""
    gold, given = gold_program(item["answer"]), parse(reply)
    steps = dict(zip(tokens(given), given.steps, strict=True))
    rows: list[list[Cell]] = [
        [str(n), written(step), written(steps[token]) if token in steps else MISSING]
        for n, (token, step) in enumerate(zip(tokens(gold), gold.steps, strict=True), 1)
    ]
    yield section(
        "Protocol, step by step",
        table(
            ("step", "reference", "submitted"),
            rows,
            "Repeats of an action are paired in order here; the score pairs them as well as they can be.",
        ),
    )
    if beyond := [step.action for token, step in steps.items() if token not in tokens(gold)]:
        yield Text(f"Beyond the reference: {', '.join(beyond)}", "bad")


def _dry(item: Row, reply: str) -> Iterator[Block]:
    """The completed functions beside the reference's."""
    yield section(
        "Functions",
        Code(unfenced(tagged(reply).text), "submitted") if reply else Text("Nothing was answered.", "bad"),
        Code(answers.functions(item["main_code"], item["incomplete_functions"]), "reference"),
        Code(item["incomplete_main_code"], "the program with its holes"),
    )


def _research(item: Row, reply: str) -> Iterator[Block]:
    """Return the blocks that show the answer and the steps towards it."""
    answer = tagged(reply).text
    right = exact_match(str(item["answer"]), answer, item["x_response"])
    yield section(
        "Answer",
        table(
            ("", "submitted", "truth"),
            [(RIGHT if right else WRONG, answer or "nothing", str(item["answer"]))],
        ),
        facts([(trap["label"].replace("_", " "), str(trap["answer"])) for trap in item["x_traps"]]),
    )
    given = _listed(reply, "steps")
    rows: list[list[Cell]] = [
        [words, RIGHT if any(step_accuracy([step], [own]).matched for own in given) else MISSING]
        for words, step in zip(item["steps"], item["x_steps"], strict=True)
    ]
    yield section("Steps of the reference", table(("step", "in the reply"), rows))


def _ideas(item: Row, reply: str) -> Iterator[Block]:
    """The idea and its plan beside those of the reference."""
    given = ideas.parse(reply)[0] or {}
    yield section("Idea", Text(str(given.get("Idea") or "No idea can be read.")))
    yield section("The idea of the reference", Text(str(item["core_idea"])))
    plans = (
        ("submitted", given.get("ImplementationSteps"), given.get("ImplementationOrder")),
        ("reference", ideas.literal(item["implementation_steps"]), item["implementation_order"]),
    )
    tables = [
        table(("", "step"), [(str(k), str(v)) for k, v in steps.items()], f"{who}, in the order {order}")
        for who, steps, order in plans
        if isinstance(steps, dict)
    ]
    keywords = facts([("keywords of the reference", ", ".join(map(str, item["keywords"])))])
    yield section("Implementation", *tables, keywords, folded=True)


def _reasoning(item: Row, reply: str) -> Iterator[Block]:
    """The options, and the readings behind the choice."""
    chosen, right = choice(reply).letter, letter(item["answer"])
    rows: list[list[Cell]] = []
    for n, (option, label) in enumerate(zip(item["options"], item["x_option_labels"], strict=True)):
        name = letter(n)
        mark: Cell = (RIGHT if name == right else WRONG) if name == chosen else ""
        why = "" if label in ("right", "filling") else str(label)
        rows.append([name, str(option), "truth" if name == right else "", mark, why])
    yield section("Options", table(("", "option", "", "chosen", "what leads there"), rows))
    given = _listed(reply, "readings")
    read: list[list[Cell]] = [
        [
            *(str(want[key]) for key in ("panel", "quantity", "value")),
            str(want.get("unit") or ""),
            RIGHT if matched_readings([want], given)[0] else MISSING,
        ]
        for want in item["x_readings"]
    ]
    yield section("Readings", table(("panel", "quantity", "truth", "unit", "in the reply"), read))


def _listed(reply: str, key: str) -> list[dict[str, object]]:
    """The objects of a list in the JSON of a reply."""
    found = (json_object(reply, (key,)) or {}).get(key)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


SHOWN: Mapping[Family, Callable[[Row, str], Iterator[Block]]] = {
    "wet_experiment": _wet,
    "dry_experiment": _dry,
    "deep_research": _research,
    "idea_generation": _ideas,
    "experimental_reasoning": _reasoning,
}
"""The function that shows an answer to an archived item, by family."""
