"""A workflow profile takes the place of the default one, so both must say all that matters."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROFILES = ROOT / "profiles"

# What only one of them needs to say, and what both must say alike because results or reruns hang on it.
ONLY = {
    "default": set(),
    "slurm": {
        *("jobs", "local-cores", "groups"),
        *("slurm-status-command", "slurm-init-seconds-before-status-checks"),
    },
}
ALIKE = ("scheduler", "rerun-incomplete", "show-failed-logs", "max-checksum-file-size")


def profile(name):
    return yaml.safe_load((PROFILES / name / "config.yaml").read_text())


def snakemake(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-m", "snakemake", *arguments], cwd=cwd, capture_output=True, text=True, timeout=60
    )


def test_profiles_hold_the_same_keys():
    default, slurm = profile("default"), profile("slurm")
    assert default.keys() - slurm.keys() == ONLY["default"]
    assert slurm.keys() - default.keys() == ONLY["slurm"]
    assert {key: default[key] for key in ALIKE} == {key: slurm[key] for key in ALIKE}
    assert default["default-resources"].keys() <= slurm["default-resources"].keys()


def test_snakemake_knows_every_key(tmp_path):
    known = set(re.findall(r"--([a-z][a-z-]+)", snakemake("--help", cwd=tmp_path).stdout))
    keys = profile("default").keys() | profile("slurm").keys()
    if find_spec("snakemake_executor_plugin_slurm") is None:
        keys = {key for key in keys if not key.startswith("slurm-")}
    assert keys <= known


def test_groups_are_of_rules_that_there_are():
    rules = "\n".join(file.read_text() for file in (ROOT / "rules").glob("*.smk"))
    names = set(re.findall(r"^ *rule (\w+):", rules, re.MULTILINE))
    # Rules that are written once for all agents and once for the frozen ones.
    for name in re.findall(r'name:\s+f"(\w+)\{SUFFIXES\[view\]\}"', rules):
        names |= {name, f"{name}_frozen"}
    (merged,) = re.findall(r"^for table in \[(.+)\]:", rules, re.MULTILINE)
    names |= {f"merge_{table}" for table in re.findall(r"\w+", merged)}
    groups = profile("slurm")["groups"]
    assert groups.keys() <= names
    # A rule between two of a group must be in it, too: so all that follow the shards are.
    assert {name for name in names if name.startswith("merge_")} <= groups.keys()


@pytest.mark.parametrize("name", ["default", "slurm"])
def test_a_dry_run_takes_the_profile(tmp_path, name):
    if name == "slurm":
        pytest.importorskip("snakemake_executor_plugin_slurm", reason="make setup EXTRAS=slurm")
    (tmp_path / "Snakefile").write_text('rule all:\n    output: "x.txt"\n    shell: "touch {output}"\n')
    run = snakemake("--dry-run", "--workflow-profile", str(PROFILES / name), cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert f"mem_mb={profile(name)['default-resources']['mem_mb']}" in run.stdout + run.stderr
