"""What goes wrong while Snakemake asks the plan is said in two lines, not in a traceback."""

from __future__ import annotations

import pytest
from tests.workflow.checkout import Checkout

FROZEN = "tests/protocol/tasks/madeup/madeup-v0/00003.json"


def break_source(checkout: Checkout) -> str:
    checkout.append("src/assay/harness.py", "\ndef broken(:\n")
    return "src/assay/harness.py, line "


def break_frozen_task(checkout: Checkout) -> str:
    (checkout.root / FROZEN).write_text("{\n")
    return f"{FROZEN} is not a frozen task"


def break_roots(checkout: Checkout) -> str:
    checkout.remove("workflow/scripts/scores.py")
    return "workflow/scripts/scores.py"


@pytest.mark.parametrize("damage", [break_source, break_frozen_task, break_roots])
def test_an_error_of_the_plan_ends_the_run_clearly(copy, damage):
    place = damage(copy)
    before = copy.manifest()
    run = copy.dry_run()
    assert run.code == 1
    *_, error, remedy = run.output.strip().splitlines()
    assert error.startswith("error: ")
    assert place in error
    assert remedy.startswith("remedy: ")
    assert "Traceback" not in run.output
    assert copy.manifest() == before
