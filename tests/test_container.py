"""The definitions of the image: one is written from the other, and neither names a registry or a tag."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "packaging"))
apptainer = __import__("apptainer")
CONTAINERFILE = (ROOT / "Containerfile").read_text()


def test_the_definition_of_apptainer_is_up_to_date() -> None:
    assert (ROOT / "Apptainer.def").read_text() == apptainer.definition(CONTAINERFILE), (
        "run: python packaging/apptainer.py"
    )


def test_the_base_is_an_argument_without_default() -> None:
    known = apptainer.instructions(CONTAINERFILE)
    assert known[:2] == [("ARG", "BASE"), ("FROM", "${BASE}")]
    assert [name for name, _ in known].count("FROM") == 1


def test_variables_hold_only_for_later_commands() -> None:
    text = 'ARG B\nFROM ${B}\nENV A=1\nRUN first\nENV C=two words\nENTRYPOINT ["x"]\nCMD ["y"]\n'
    made = apptainer.definition(text)
    post = made.partition("%post")[2].partition("%environment")[0]
    assert [line.strip() for line in post.split("\n") if line.strip()] == [
        "set -eu",
        "export A=1",
        "first",
        "export C='two words'",
    ]
    assert "From: {{ B }}" in made and 'set -- y; fi\n    exec x "$@"' in made


@pytest.mark.parametrize("line", ["USER nobody", "ARG A=default", "FROM name:tag"])
def test_what_is_not_known_is_an_error(line: str) -> None:
    with pytest.raises(ValueError, match=re.escape(line)):
        apptainer.definition(f"{line}\n")


@pytest.mark.parametrize("definition", ["Containerfile", "Apptainer.def"])
def test_commands_are_valid_shell(definition: str) -> None:
    if definition == "Containerfile":
        text = "\n".join(rest for name, rest in apptainer.instructions(CONTAINERFILE) if name == "RUN")
    else:
        text = (ROOT / definition).read_text().partition("%post")[2].partition("%environment")[0]
    assert text.strip()
    subprocess.run(["bash", "-n"], input=text, text=True, check=True)
