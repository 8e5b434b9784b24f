"""A checkout of a few modules in a temporary folder, with a copy of the wrapper's own modules."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ASSAY = Path(__file__).resolve().parents[1] / "src" / "assay"
WRAPPER = (
    *("__init__", "canonical", "errors", "build/__init__"),
    *(
        f"build/{name}"
        for name in ("damage", "fingerprint", "interruption", "job", "source", "store", "upstream")
    ),
)


class SmallCheckout:
    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def add_wrapper(self) -> None:
        (self.root / "src/assay/build").mkdir(parents=True, exist_ok=True)
        for name in WRAPPER:
            shutil.copy(ASSAY / f"{name}.py", self.root / f"src/assay/{name}.py")

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """Start Python in this checkout, with its `assay` and without anybody's settings of Assay."""
        inherited = {name: text for name, text in os.environ.items() if not name.startswith("ASSAY_")}
        return subprocess.Popen(
            [sys.executable, *arguments],
            cwd=self.root,
            env={**inherited, "PYTHONPATH": str(self.root / "src"), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def python(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        process = self.start(*arguments, **environment)
        out, err = process.communicate(timeout=60)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)
