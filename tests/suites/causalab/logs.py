"""Made-up runs in the log format of the paper's harness, with numbers that were worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.suites.causalab.examples import SECOND_RAW, TARGET

THEIR_REACTOR, THEIR_MANIPULATOR = 48211, 48215
"""The uuids of the devices, which differ from ours."""

DISPLAYS = {
    TARGET: "Resonance Frequency (Hz)",
    "ph": "pH",
    "moisture": "Moisture",
    "density": "Density",
}

Step = tuple[str, dict[str, Any]]
"""What a screen shows before an action (empty where none is open), and the action."""


def menu(uses: int, density: float, ph: float, moisture: float, frequency: float) -> str:
    """The manipulator's menu."""
    state = {"density": density, "ph": ph, "moisture": moisture, TARGET: frequency}
    lines = [f"  {DISPLAYS[name]}: {value}" for name, value in state.items()]
    return "\n".join(
        [
            "=== PROPERTY MANIPULATOR ===",
            "Crystal Analysis:",
            *lines,
            "----",
            f"  Uses: {uses}/12 (Remaining: {12 - uses})",
        ]
    )


VALUE = "Please type the new value of the property."

REACTOR = "\n".join(
    [
        "=== CRYSTAL REACTOR ===",
        "Crystal properties (directly shown):",
        "- temperatureC: 25.0",
        "- moisture: 15",
        "- density: 3",
        "- quantumSize: 2.0",
        "- ph: 7",
        "Current frequency: 0 Hz",
    ]
)
"""Bases ph 1, moisture 2, density 3: the frequency is 23 + 15 + 14 + 6 = 58. Two lines are phantoms."""


def steps() -> list[Step]:
    """A run with the bases ph 10, moisture 20, density 30: two interventions, then an accepted frequency."""
    return [
        ("", {"action": "TELEPORT_TO_OBJECT", "arg1": THEIR_MANIPULATOR}),
        ("", {"action": "TALK", "arg1": THEIR_MANIPULATOR}),
        (menu(0, 30, 70, 150, 373.0), {"chosen_dialog_option_int": 2}),
        (VALUE, {"value": 9}),
        (menu(1, 30, 70, 9.0, 232.0), {"chosen_dialog_option_int": 3}),
        (VALUE, {"value": "0"}),
        (menu(2, 0.0, 10.0, -111.0, -68.0), {"chosen_dialog_option_int": 4}),
        ("", {"action": "TELEPORT_TO_OBJECT", "arg1": THEIR_REACTOR}),
        ("", {"action": "TALK", "arg1": str(THEIR_REACTOR)}),
        (REACTOR, {"chosen_dialog_option_int": 1}),
        ("Please type the frequency.", {"value": 60.9}),
        ("", {}),
    ]


PROMPT = f"""Existing observations:
- Observation 1: {{"density": 3, "ph": 87, "moisture": 107, "{TARGET}": 310.0}}
- Observation 2: {{'density': 31, 'ph': 156, 'moisture': 253, '{TARGET}': 650.0}}
"""
"""One observation as JSON, one as Python writes it."""

HYPOTHESIS = {
    "edges": [{"from": a, "to": TARGET} for a in ("ph", "moisture", "density")],
    "freq_equation": "resonanceFreq = base + c_ph * ph + c_moisture * moisture + c_density * density",
    "coefficients": {"base": 23, "c_ph": 2, "c_moisture": 1, "c_density": 2},
}


def record(action: dict[str, Any]) -> dict[str, Any]:
    fields = {"memory": "", "thought": "", "past_data": [], "hypothesis": HYPOTHESIS, "experiment": {}}
    return {**fields, **action}


def write_run(
    folder: Path,
    rows: list[Step] | None = None,
    *,
    model: Any = SECOND_RAW,
    completed: str = "1",
    raw_io: bool = True,
    after: bool = False,
) -> Path:
    """Write the folder of a run.

    Args:
        folder: The folder.
        rows: The steps.
        model: The model.
        completed: The text of the file that says whether the reactor was activated.
        raw_io: Whether the replies are kept as they were written.
        after: Whether a row shows the screen after its action.
    """
    rows = steps() if rows is None else rows
    folder.mkdir(parents=True)
    (folder / "graph_config.json").write_text(json.dumps(model, indent=1))
    boxes = [box for box, _ in rows]
    if after:
        boxes = [*boxes[1:], ""]
    tracked, exchanges = [], []
    for n, (box, (_, action)) in enumerate(zip(boxes, rows, strict=True)):
        dialog = {"is_in_dialog": bool(box), "dialogIn": box, "dialogOptions": {"1": "an option"}}
        written = record(action)
        tracked.append(
            {"dialog_box": dialog, "lastActionMessage": "", "action": written, "hidden_debug": None}
        )
        if raw_io:
            text = f"<think>so</think>\n```json\n{json.dumps(written)}\n```"
            exchanges.append({"step": n + 1, "raw_input": PROMPT, "raw_output": text})
    (folder / "run_tracking_simple.jsonl").write_text("\n".join(json.dumps(row, indent=2) for row in tracked))
    if raw_io:
        (folder / "raw_io.jsonl").write_text("".join(json.dumps(row) + "\n" for row in exchanges))
    (folder / "run_complete.txt").write_text(completed + "\n")
    return folder
