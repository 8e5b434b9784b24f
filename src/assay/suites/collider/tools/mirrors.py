"""Look-ups in what a user of the benchmark keeps on disk: papers, HEPData records, UFO models, programs.

None of it is part of the project. `COLLIDER_LIBRARY` names a folder with `papers/<PAPER>.txt`,
`hepdata/<record>/submission.yaml` with its tables (the layout of a HEPData archive) and `ufo/<model>/`. If
something is missing, the answer says so.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from assay.suites.collider.formats import documents

VARIABLE = "COLLIDER_LIBRARY"
PART = 20_000
LARGEST = 8 << 20

PROGRAMS = ("mg5_aMC", "DelphesHepMC3", "pythia8-config", "prospino")

WITHHELD = ("yield", "signal", "cut flow", "cutflow", "expected events")
"""A table is withheld if its name or description has one of these: it may hold what is to be predicted."""


def _folder(kind: str) -> Path | None:
    base = os.environ.get(VARIABLE)
    folder = Path(base) / kind if base else None
    return folder if folder is not None and folder.is_dir() else None


def paper(name: str, part: int) -> dict[str, Any]:
    """Return one part of a paper's text."""
    folder = _folder("papers")
    file = None if folder is None else folder / f"{name}.txt"
    if file is None or not file.is_file():
        return {"found": False, "answer": f"no text of {name} is kept here; the brief has what is certain"}
    text = file.read_bytes()[:LARGEST].decode("utf-8", errors="replace")
    parts = max(1, -(-len(text) // PART))
    return {"found": True, "part": part, "parts": parts, "text": text[part * PART : (part + 1) * PART]}


def models(search: str) -> dict[str, Any]:
    """Return the UFO models whose name contains `search`."""
    folder = _folder("ufo")
    if folder is None:
        return {"found": False, "answer": "no mirror of UFO models is kept here"}
    names = sorted(path.name for path in folder.iterdir() if path.is_dir())
    return {"found": True, "models": [name for name in names if search.lower() in name.lower()]}


def programs() -> dict[str, Any]:
    """Return for each simulation program whether it is installed; none is needed."""
    return {name: shutil.which(name) is not None for name in PROGRAMS}


def hepdata(action: str, record: str, table: str) -> dict[str, Any]:
    """Return the records, the tables of a record, or one table without signal yields, as `action` says."""
    folder = _folder("hepdata")
    if folder is None:
        return {"found": False, "answer": "no mirror of HEPData is kept here"}
    records = sorted(path.name for path in folder.iterdir() if (path / "submission.yaml").is_file())
    if action == "find":
        return {"found": True, "records": [name for name in records if record in name]}
    if record not in records:
        return {"found": False, "answer": f"there is no record {record!r}; use find"}
    tables = _tables(folder / record)
    if isinstance(tables, str):
        return {"found": False, "answer": tables}
    if action == "tables":
        descriptions = [{"name": t["name"], "description": t["description"]} for t in tables]
        return {"found": True, "tables": descriptions}
    wanted = next((t for t in tables if t["name"] == table), None)
    if wanted is None:
        return {"found": False, "answer": f"{record} has no table {table!r}; use tables"}
    about = f"{wanted['name']} {wanted['description']}".lower()
    if any(word in about for word in WITHHELD):
        return {"found": False, "answer": f"{table} holds signal yields, which are to be predicted"}
    file = folder / record / wanted["data_file"]
    if not file.resolve().is_relative_to((folder / record).resolve()) or not file.is_file():
        return {"found": False, "answer": f"the mirror of {record} lacks the file of that table"}
    return {"found": True, "text": file.read_bytes()[:LARGEST].decode("utf-8", errors="replace")}


def _tables(folder: Path) -> list[dict[str, str]] | str:
    """Return the tables of a record, or what is wrong with its `submission.yaml`."""
    try:
        entries = documents.read((folder / "submission.yaml").read_bytes())
    except documents.Unreadable as problem:
        return f"submission.yaml of {folder.name} cannot be read: {problem}"
    keys = ("name", "description", "data_file")
    return [
        {key: str(document.get(key, "")) for key in keys}
        for document in entries
        if isinstance(document, dict) and "data_file" in document
    ]
