"""An episode for readers: the task with its pictures, the answer beside the truth, each scored step."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from assay.episode import Episode
from assay.protocol import Flag, Materials, Score
from assay.report.blocks import Block, Cell, Code, Mark, Picture, Step, Text, facts, section, table
from assay.report.drawing import bar, number
from assay.suites.sgi.columns.wet_experiment import gold_program
from assay.suites.sgi.families import Family
from assay.suites.sgi.frame.registry import family_of
from assay.suites.sgi.frame.tasks import is_v1
from assay.suites.sgi.items import Row, item_of
from assay.suites.sgi.metrics import ideas
from assay.suites.sgi.metrics.protocols import same_literal, tokens
from assay.suites.sgi.metrics.reasoning import letter, matched_readings
from assay.suites.sgi.metrics.research import step_accuracy
from assay.suites.sgi.released import answers
from assay.suites.sgi.released.items import is_released
from assay.suites.sgi.text.contracts import choice, json_object, tagged, unfenced
from assay.suites.sgi.text.program import Program, Value, parse
from assay.task import Task

RIGHT, WRONG, MISSING = Mark("right", "good"), Mark("wrong", "bad"), Mark("missing", "bad")


def show(
    task: Task, episode: Episode, scores: Sequence[Score], flags: Sequence[Flag], materials: Materials
) -> Iterable[Block]:
    """The question, the answer beside the truth, and what the family scores of it; then the whole reply."""
    item = item_of(task)
    strata = task.strata
    yield facts(
        [
            ("family", strata["family"].replace("_", " ")),
            ("discipline", strata.get("discipline", "")),
            ("type", strata.get("type", "")),
            ("arm", strata.get("arm", "")),
        ]
    )
    pictures = [
        Picture(ref, f"picture {n} of the task")
        for n, ref in enumerate(task.blobs, 1)
        if ref.media_type.startswith("image/")
    ]
    yield section("Task", *pictures, Text(str(item["question"])))
    reply = episode.submission if isinstance(episode.submission, str) else ""
    if is_released(item):
        yield from answers.view(task.public["family"], item)
    elif is_v1(item):
        yield from family_of(task.public["family"]).view(item, reply)
    else:
        yield from SHOWN[task.public["family"]](item, reply, episode, scores)
    if reply:
        yield section("The whole reply", Code(reply), folded=True)


def _wet(item: Row, reply: str, episode: Episode, scores: Sequence[Score]) -> Iterator[Block]:
    """The protocol beside the reference, step by step."""
    gold, given = gold_program(item["answer"]), parse(reply)
    wanted, got = tokens(gold), tokens(given)
    place = {token: n for n, token in enumerate(got)}
    outputs = {
        gold.steps[n].output: given.steps[place[token]].output
        for n, token in enumerate(wanted)
        if token in place
    }
    rows: list[list[Cell]] = []
    for n, token in enumerate(wanted):
        step = gold.steps[n]
        told: Mapping[str, Value] = given.steps[place[token]].arguments if token in place else {}
        how = item["x_params"][n] if item.get("x_params") else {}
        first = True
        for key, value in step.arguments.items() or {"": ""}.items():
            right = key in told and _same(value, told[key], how.get(key, {}), outputs)
            mark = MISSING if token not in place else RIGHT if right or not key else WRONG
            shown = _written(told[key]) if key in told else "–"
            at = str(place[token] + 1) if token in place else "–"
            head = [str(n + 1), step.action, at] if first else ["", "", ""]
            rows.append([*head, key, _written(value), shown, mark])
            first = False
    yield section(
        "Protocol, step by step",
        table(
            ("step", "action", "submitted as", "parameter", "reference", "submitted", ""),
            rows,
            "Repeats of an action are paired in order here; the score pairs them as well as they can be.",
        ),
        *_beyond(given, set(wanted), set(item.get("x_decoys", ()))),
    )


def _beyond(given: Program, wanted: set[tuple[str, int]], decoys: set[str]) -> Iterator[Block]:
    """Steps that the reference does not have."""
    names = [
        f"{step.action}{' (a decoy)' if step.action in decoys else ''}"
        for step, token in zip(given.steps, tokens(given), strict=True)
        if token not in wanted
    ]
    if names:
        yield Text(f"Beyond the reference: {', '.join(names)}", "bad")


def _same(gold: Value, given: Value, how: Mapping[str, object], outputs: Mapping[str, str]) -> bool:
    """Whether a parameter is right: what an earlier step made, or a literal that says the same."""
    if isinstance(gold, tuple) or isinstance(given, tuple):
        a, b = ((v,) if isinstance(v, str) else v for v in (gold, given))
        return len(a) == len(b) and all(_same(x, y, how, outputs) for x, y in zip(a, b, strict=True))
    return outputs[gold] == given if gold in outputs else same_literal(gold, given, how)


def _written(value: Value) -> str:
    return value if isinstance(value, str) else ", ".join(value)


def _dry(item: Row, reply: str, episode: Episode, scores: Sequence[Score]) -> Iterator[Block]:
    """The completed functions beside the reference's."""
    values = {s.metric: s.value for s in scores if s.profile == "default"}
    passed = values.get("tests_passed")
    if passed is not None:
        yield facts(
            [("tests passed", f"{round(5 * passed)} of 5"), ("output asked for", item["unit_test_0_output"])]
        )
    yield section(
        "Functions",
        Code(unfenced(tagged(reply).text), "submitted") if reply else Text("Nothing was answered.", "bad"),
        Code(_functions(item["main_code"], item["incomplete_functions"]), "reference"),
        Code(item["incomplete_main_code"], "the program with its holes"),
    )


def _functions(code: str, names: Sequence[str]) -> str:
    """The source of these functions of a program."""
    found = [
        ast.get_source_segment(code, node) or ""
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.FunctionDef) and node.name in names
    ]
    return "\n\n\n".join(found)


def _research(item: Row, reply: str, episode: Episode, scores: Sequence[Score]) -> Iterator[Block]:
    """Answer, the steps to it, and which documents were looked at."""
    answer = tagged(reply).text
    right = any(s.metric == "solved" and s.profile == "default" and s.value == 1 for s in scores)
    traps = "; ".join(
        f"{trap['label'].replace('_', ' ')}: {trap['answer']}" for trap in item.get("x_traps") or ()
    )
    mark = RIGHT if right else WRONG
    yield section(
        "Answer",
        table(("", "submitted", "truth"), [(mark, answer or "nothing", str(item["answer"]))]),
        facts([("wrong answers that a trap explains", traps)]),
    )
    block = json_object(reply, ("steps", "answer")) or {}
    told = block.get("steps")
    model = [step for step in (told if isinstance(told, list) else []) if isinstance(step, dict)]
    unused = list(range(len(model)))
    rows: list[list[Cell]] = []
    for words, step in zip(item["steps"], item["x_steps"], strict=True):
        # As the score does it, from the other side: each step of the model is good for one of the reference.
        match = next((n for n in unused if step_accuracy([step], [model[n]]).matched), None)
        if match is not None:
            unused.remove(match)
        rows.append([words, RIGHT if match is not None else MISSING])
    yield section(
        "Steps of the reference",
        table(("step", "in the reply"), rows),
        *([Text(f"{len(unused)} steps of the reply are none of these.", "faint")] if unused else []),
    )
    looked = _looked(episode, {*item["x_docs"], *item["x_docs_read"]})
    if looked:
        yield section("What was looked at", table(("step", "call", "what", ""), looked), folded=True)


def _looked(episode: Episode, needed: set[str]) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    for event in episode.events:
        if event.kind != "call" or event.tool == "answer" or not isinstance(event.arguments, dict):
            continue
        document = str(event.arguments.get("doc_id", ""))
        words = document or str(event.arguments.get("query", ""))
        mark: Cell = Mark("needed", "good") if document in needed else ""
        rows.append([Step((event.step,)), event.tool, words, mark if event.ok else Mark("refused", "open")])
    return rows


def _ideas(item: Row, reply: str, episode: Episode, scores: Sequence[Score]) -> Iterator[Block]:
    """The idea beside the known one, and the parts of its score that need no judge."""
    found, _ = ideas.parse(reply)
    given = found or {}
    values = {s.metric: s.value for s in scores if s.profile == "default"}
    rows = [
        (name, bar(value, f"{name} {number(value)}"), number(value))
        for name in ideas.DIMENSIONS
        if (value := values.get(f"{name}_objective")) is not None
    ]
    if rows:
        yield section("Dimensions, without a judge", table(("", "0 to 1", ""), rows))
    yield section("Idea", Text(str(given.get("Idea") or "No idea can be read.")))
    yield section("The idea of the reference", Text(str(item["core_idea"])))
    gold = ideas.literal(item.get("implementation_steps") or {})
    steps = given.get("ImplementationSteps")
    yield section(
        "Implementation",
        _plan("submitted", steps, given.get("ImplementationOrder")),
        _plan("reference", gold, item.get("implementation_order")),
        facts([("keywords of the reference", ", ".join(map(str, item.get("keywords") or ())))]),
        folded=True,
    )


def _plan(who: str, steps: object, order: object) -> Block:
    if not isinstance(steps, dict):
        return Text(f"{who}: no steps", "faint")
    rows = [(str(key), str(value)) for key, value in steps.items()]
    edges = ", ".join(map(str, order)) if isinstance(order, list) else "–"
    return table(("", "step"), rows, f"{who}, in the order {edges}")


def _reasoning(item: Row, reply: str, episode: Episode, scores: Sequence[Score]) -> Iterator[Block]:
    """The options, the readings behind the choice."""
    chosen, right = choice(reply).letter, letter(item["answer"])
    labels = item.get("x_option_labels") or [""] * len(item["options"])
    rows: list[list[Cell]] = []
    for n, (option, label) in enumerate(zip(item["options"], labels, strict=False)):
        name = letter(n)
        tone = Mark("truth", "good") if name == right else ""
        picked = Mark("chosen", "good" if name == right else "bad") if name == chosen else ""
        why = "" if label in ("right", "filling") else str(label)
        rows.append([name, str(option), tone, picked, why])
    yield section("Options", table(("", "option", "", "", "what leads there"), rows))
    if chosen is None:
        yield Text("No option was named.", "bad")
    block = json_object(reply, ("readings",)) or {}
    told = block.get("readings")
    given = [r for r in (told if isinstance(told, list) else []) if isinstance(r, dict)]
    read: list[list[Cell]] = []
    for want in item.get("x_readings") or ():
        own = [r for r in given if matched_readings([{**want, "tol": 1e300}], [r])[0]]
        matched = matched_readings([want], given)[0]
        shown = f"{own[0].get('value')} {own[0].get('unit') or ''}" if own else "–"
        truth = (
            f"{number(want['value'], 6)} {want.get('unit') or ''}"
            if _is_number(want["value"])
            else str(want["value"])
        )
        tolerance = f"± {want['tol']}" if want.get("tol") else ""
        mark = RIGHT if matched else WRONG if own else MISSING
        read.append([str(want["panel"]), str(want["quantity"]), shown, truth, tolerance, mark])
    if read:
        yield section("Readings", table(("panel", "quantity", "submitted", "truth", "tolerance", ""), read))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


Shower = Callable[[Row, str, Episode, Sequence[Score]], Iterator[Block]]

SHOWN: Mapping[Family, Shower] = {
    "wet_experiment": _wet,
    "dry_experiment": _dry,
    "deep_research": _research,
    "idea_generation": _ideas,
    "experimental_reasoning": _reasoning,
}
"""Of each family what is shown of an answer."""
