"""The software bill of materials of the locks, as CycloneDX 1.6 in JSON: what `make sbom` writes.

It holds every package of every `envs/*.lock` with its version, the hashes of its files, which locks want it,
and its licence as `envs/licences.tsv` has it. There is no time and no chance in it: equal locks, equal bytes.

    python envs/bill_of_materials.py            # write the bill to standard output
    python envs/bill_of_materials.py --learn    # add to licences.tsv what the packages of this Python declare

Only the standard library is needed, so that it runs before anything is installed.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import re
import sys
import tomllib
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
LICENCES = FOLDER / "licences.tsv"

_PACKAGE = re.compile(r"(?P<name>[a-z0-9][a-z0-9.-]*)==(?P<version>[^ ;\\]+)(?: ; (?P<marker>[^\\]+?))? \\")
_HASH = re.compile(r"    --hash=sha256:([0-9a-f]{64})(?: \\)?")
_NAME = r"(?:MIT|ISC|Unlicense|Zlib|CNRI-Python|LLVM-exception|[A-Za-z]+-[A-Za-z0-9.-]+|0BSD)"
_EXPRESSION = re.compile(rf"{_NAME}(?: (?:AND|OR|WITH) {_NAME})*")

CLASSIFIED: Mapping[str, str] = {
    "GNU General Public License v2 (GPLv2)": "GPL-2.0-only",
    "GNU General Public License v3 (GPLv3)": "GPL-3.0-only",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "MIT No Attribution License (MIT-0)": "MIT-0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
    "zlib/libpng License": "Zlib",
}
"""Names of SPDX for classifiers that mean one licence; `BSD License` is several, and stays as it is."""


@dataclass(frozen=True)
class Locked:
    """One package of one lock: which file of it may be installed, and where (`marker`)."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]


def locked(path: Path) -> list[Locked]:
    """The packages of a lock; `ValueError` names a line that is none, and a package without a hash."""
    found: list[Locked] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if package := _PACKAGE.fullmatch(line):
            _complete(path, found)
            found.append(Locked(package["name"], package["version"], package["marker"] or "", ()))
        elif (digest := _HASH.fullmatch(line)) and found:
            last = found.pop()
            found.append(Locked(last.name, last.version, last.marker, (*last.hashes, digest[1])))
        elif line.strip() and not line.startswith("#"):
            raise ValueError(f"{path.name}:{number}: neither a pinned package nor a hash: {line.strip()}")
    _complete(path, found)
    return found


def _complete(path: Path, found: list[Locked]) -> None:
    if found and not found[-1].hashes:
        raise ValueError(f"{path.name}: {found[-1].name} has no hash")


def locks() -> dict[str, list[Locked]]:
    """The packages of every lock, by its name."""
    return {path.stem: locked(path) for path in sorted(FOLDER.glob("*.lock"))}


def licences() -> dict[tuple[str, str], str]:
    """What is known of licences, by name and version."""
    lines = LICENCES.read_text(encoding="utf-8").splitlines() if LICENCES.exists() else []
    return {(name, version): told for name, version, told in (line.split("\t") for line in lines)}


def learn() -> None:
    """Add what the installed packages declare, and drop what no lock wants any more."""
    wanted = {(package.name, package.version) for found in locks().values() for package in found}
    known = {key: told for key, told in licences().items() if key in wanted}
    for distribution in importlib.metadata.distributions():
        key = (_normal(distribution.metadata["Name"] or ""), distribution.version)
        if key in wanted and (told := declared(distribution)):
            known[key] = told
    lines = [f"{name}\t{version}\t{told}\n" for (name, version), told in sorted(known.items())]
    LICENCES.write_text("".join(lines), encoding="utf-8")
    print(f"{len(known)} of {len(wanted)} licences are known", file=sys.stderr)


def declared(distribution: importlib.metadata.Distribution) -> str:
    """The licence that a package declares: an expression of SPDX where it gives one, else its own words."""
    metadata = distribution.metadata
    if told := metadata.get("License-Expression"):
        return " ".join(told.split())
    names = [
        words.rpartition(" :: ")[2]
        for words in metadata.get_all("Classifier") or ()
        if words.startswith("License :: ") and words != "License :: OSI Approved"
    ]
    if names:
        return " AND ".join(CLASSIFIED.get(name, name) for name in sorted(set(names)))
    return (" ".join((metadata.get("License") or "").split()) or _first_line(distribution))[:60]


def _first_line(distribution: importlib.metadata.Distribution) -> str:
    """How the file with the licence begins, where a package has one and declares nothing."""
    for file in distribution.files or ():
        if ".dist-info" in str(file) and file.name.upper().startswith(("LICENSE", "LICENCE", "COPYING")):
            for line in file.read_text(encoding="utf-8").splitlines():
                if line.strip():
                    return " ".join(line.split())
    return ""


def bill() -> dict[str, Any]:
    """The bill as a JSON value."""
    every = locks()
    project = tomllib.loads((FOLDER.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    known = licences()
    found: dict[tuple[str, str], dict[str, Locked]] = {}
    for lock, packages in every.items():
        for package in packages:
            found.setdefault((package.name, package.version), {})[lock] = package
    components = [_component(key, of, known.get(key)) for key, of in sorted(found.items())]
    root = f"pkg:generic/{project['name']}@{project['version']}"
    wanted = {lock: [_purl(p.name, p.version) for p in packages] for lock, packages in every.items()}
    told = json.dumps(components, sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_OID, told).urn,
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": project["name"],
                "version": project["version"],
                "purl": root,
                "licenses": [{"expression": project["license"]}],
            },
            "lifecycles": [{"phase": "pre-build"}],
        },
        "components": components,
        "dependencies": [
            {"ref": root, "dependsOn": sorted({purl for purls in wanted.values() for purl in purls})}
        ],
    }


def _component(key: tuple[str, str], of: Mapping[str, Locked], licence: str | None) -> dict[str, Any]:
    name, version = key
    hashes = sorted({digest for package in of.values() for digest in package.hashes})
    return {
        "type": "library",
        "bom-ref": _purl(name, version),
        "name": name,
        "version": version,
        "purl": _purl(name, version),
        "scope": "required" if "base" in of else "optional",
        # Of all its files (wheels, source) that may be installed.
        "hashes": [{"alg": "SHA-256", "content": digest} for digest in hashes],
        **({"licenses": [_licence(licence)]} if licence else {}),
        "properties": list(_properties(of)),
    }


def _licence(told: str) -> dict[str, Any]:
    told = CLASSIFIED.get(told, told)
    if _EXPRESSION.fullmatch(told.replace("(", "").replace(")", "")):
        return {"expression": told}
    return {"license": {"name": told}}


def _properties(of: Mapping[str, Locked]) -> Iterator[dict[str, str]]:
    for lock, package in sorted(of.items()):
        yield {"name": "assay:lock", "value": f"{lock}.lock"}
        if package.marker:
            yield {"name": f"assay:marker:{lock}", "value": package.marker}


def _purl(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{version.replace('+', '%2B')}"


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def main() -> int:
    """Write the bill, or learn licences."""
    parser = argparse.ArgumentParser(description="Software bill of materials of envs/*.lock (CycloneDX).")
    parser.add_argument("--learn", action="store_true", help="add licences of the packages of this Python")
    if parser.parse_args().learn:
        learn()
    else:
        json.dump(bill(), sys.stdout, indent=1, sort_keys=True, ensure_ascii=False)
        sys.stdout.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
