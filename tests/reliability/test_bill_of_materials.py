"""The locks name one version and the hashes of every package, and the bill of materials says just that."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    sys.path.insert(0, str(ROOT / "envs"))
    try:
        import bill_of_materials
    finally:
        sys.path.pop(0)
    return bill_of_materials


def test_every_locked_package_has_its_hashes(maker: ModuleType) -> None:
    """So that pip takes no file but those that were locked (`envs/install` says `--require-hashes`)."""
    locks = maker.locks()
    assert {f"{name}.in" for name in locks} == {path.name for path in (ROOT / "envs").glob("*.in")}
    for name, packages in locks.items():
        text = (ROOT / "envs" / f"{name}.lock").read_text()
        assert len(packages) == len(re.findall(r"^[^\s#]", text, re.MULTILINE)), name
        assert sum(len(package.hashes) for package in packages) == text.count("--hash=sha256:")
        assert "://" not in text and "@ " not in text, f"{name}.lock takes something from an address"
    assert "--require-hashes" in (ROOT / "envs" / "install").read_text()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("numpy==2.0\n", "neither"),
        ("numpy==2.0 \\\nscipy==1.0 \\\n    --hash=sha256:" + "0" * 64 + "\n", "numpy has no hash"),
        ("numpy>=2.0 \\\n    --hash=sha256:" + "0" * 64 + "\n", "neither"),
        ("numpy @ file:///x \\\n", "neither"),
        ("-e .\n", "neither"),
        ("numpy==2.0 \\\n    --hash=md5:00\n", "neither"),
    ],
)
def test_a_lock_without_a_pin_or_a_hash_is_no_lock(
    text: str, said: str, maker: ModuleType, tmp_path: Path
) -> None:
    lock = tmp_path / "bad.lock"
    lock.write_text(text)
    with pytest.raises(ValueError, match=said):
        maker.locked(lock)


def test_one_bill_for_the_same_locks() -> None:
    """Whoever makes it, in whatever folder, time and order of hashes."""
    command = [sys.executable, "-I", str(ROOT / "envs" / "bill_of_materials.py")]
    bills = {
        subprocess.run(command, capture_output=True, check=True, cwd=cwd, env=env).stdout
        for cwd, env in ((ROOT, {"PYTHONHASHSEED": "1"}), (Path("/"), {"TZ": "Asia/Tokyo", "LANG": "C"}))
    }
    assert len(bills) == 1
    assert str(ROOT).encode() not in bills.pop()


def test_the_bill_holds_every_package_with_version_hashes_and_licence(maker: ModuleType) -> None:
    bill = json.loads(json.dumps(maker.bill()))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    found = {component["purl"]: component for component in bill["components"]}
    assert len(found) == len(bill["components"])
    wanted = {(p.name, p.version) for packages in maker.locks().values() for p in packages}
    assert set(found) == {f"pkg:pypi/{n}@{v.replace('+', '%2B')}" for n, v in wanted}
    assert set(bill["dependencies"][0]["dependsOn"]) == set(found)
    for component in found.values():
        assert component["hashes"]
        for digest in component["hashes"]:
            assert re.fullmatch("[0-9a-f]{64}", digest["content"])
    base = {f"pkg:pypi/{p.name}@{p.version}": p for p in maker.locks()["base"]}
    assert {purl for purl, found in found.items() if found["scope"] == "required"} == set(base)
    # What is installed on Linux has a licence; packages of other systems were never looked into.
    unknown = [purl for purl, p in base.items() if "licenses" not in found[purl] and "win32" not in p.marker]
    assert unknown == []
