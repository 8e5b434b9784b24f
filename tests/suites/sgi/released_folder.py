"""A folder in the form in which the paper's data is published, from the public descriptions of its columns.

Its content is made up. Pictures are cells of bytes and a path, as in the published tables.
"""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from assay.suites.sgi.families import RELEASED_NAMES, Family
from assay.suites.sgi.released.loader import COLUMNS


def png(shade: int = 128) -> bytes:
    """A picture of one pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    body = zlib.compress(bytes([0, shade]))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


DATA = (
    "import json\nimport os\nos.makedirs('data', exist_ok=True)\n"
    "json.dump({numbers}, open('data/x.json', 'w'))\n"
)
MAIN = '''import json
import numpy as np


def load():
    return json.load(open("data/x.json"))


def spread(values):
    """The standard deviation of a sample, with n - 1."""
{body}


if __name__ == "__main__":
    print("spread", round(spread(load()), 6))
'''
BODY = "    return float(np.std(values, ddof=1))"
WET = """out_1 = <Weigh>(
    mass="5 g",
)

out_2 = <Dissolve>(
    solute=out_1,
    solvent="water",
)"""
POOL = """Action Pool:
<Weigh>(mass)
    Args:
        mass: how much
    Returns: a powder
<Dissolve>(solute, solvent)
    Args:
        solute: what
        solvent: in what
    Returns: a solution
<Burn>(sample)
    Args:
        sample: what
    Returns: ash"""
IDEA = {
    "related_work": {"Old": "A prior is fitted to all records at once."},
    "existing_solutions": {"Known": "Average all records and hope for the best."},
    "implementation_steps": {
        "1": "Collect 40 records.",
        "2": "Fit a sparse prior.",
        "3": "Validate on 10 records.",
    },
    "evaluation_metrics": {"error": "lower than 0.1"},
    "related_work_test": ["Nobody has used a sparse prior."],
}
OUTPUTS = {"[1, 2, 4]": "spread 1.527525", "[3, 3, 9]": "spread 3.464102"}


def rows() -> dict[Family, list[dict[str, Any]]]:
    """Two rows of each family."""
    found: dict[Family, list[dict[str, Any]]] = {family: [] for family in COLUMNS}
    texts: dict[str, Any] = {"discipline": "physics", "direction": "circuits"}
    for k in range(2):
        names: dict[str, Any] = {family: f"SGI_{name}_{k:04d}" for family, name in RELEASED_NAMES.items()}
        found["deep_research"].append(
            {"idx": names["deep_research"], **texts, "question": "Which time constant, in microseconds?"}
            | {"steps": ["read R", "read C", "multiply"], "answer": f"{1034 + k}.0", "type": "Property"}
        )
        found["idea_generation"].append(
            {"idx": names["idea_generation"], **texts, "question": "Propose an idea for noisy records."}
            | dict.fromkeys(
                ("challenge", "limitation", "motivation", "task_objective"), "noise hides the signal"
            )
            | {"core_idea": "A sparse prior is fitted to noisy records.", "data": "40 records"}
            | {"expected_outcome": "less error", "keywords": ["sparse prior", "noisy records"]}
            | {"implementation_order": ["1-2", "2-3"], **{key: repr(value) for key, value in IDEA.items()}}
        )
        dry: dict[str, Any] = {
            "idx": names["dry_experiment"],
            **texts,
            "question": "Complete the function spread.",
        }
        dry |= {"data_code": DATA.format(numbers="[2, 5]"), "main_code": MAIN.format(body=BODY)}
        dry |= {"incomplete_main_code": MAIN.format(body="    pass"), "incomplete_functions": ["spread"]}
        for test in range(5):
            numbers = list(OUTPUTS)[test % 2]
            dry |= {
                f"unit_test_{test}_data": DATA.format(numbers=numbers),
                f"unit_test_{test}_output": OUTPUTS[numbers],
            }
        found["dry_experiment"].append(dry | {"function_type": "Statistical Analysis", "runtime": 0.5})
        found["wet_experiment"].append(
            {
                "idx": names["wet_experiment"],
                **texts,
                "discipline": "chemistry",
                "question": "Make a solution.",
            }
            | {"action_pool": POOL, "answer": WET}
        )
        picture = {"bytes": png(40 + k), "path": "figure.png"}
        found["experimental_reasoning"].append(
            {"idx": names["experimental_reasoning"], **texts, "question": "Which curve rises?"}
            | {"images": [picture, picture], "options": [f"curve {n}" for n in range(8)], "answer": 3 + k}
            | {"steps": ["look at <img>", "compare"], "step_images": [picture]}
            | {"image_type": "visualization", "type": "comparative reasoning"}
        )
    return found


def write_parquet(path: Path, found: list[dict[str, Any]]) -> None:
    """Write rows as a shard."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.Table.from_pylist(found)
    with pq.ParquetWriter(path, table.schema) as writer:  # noqa: TID251
        writer.write_table(table)


def write_folder(folder: Path) -> Path:
    """All five families, each in the folder of its published name; one of them as JSON with picture files."""
    for family, found in rows().items():
        place = folder / f"SGI-{RELEASED_NAMES[family]}" / "data"
        if family == "experimental_reasoning":
            place.mkdir(parents=True)
            for at, row in enumerate(found):
                (place / f"{at}.png").write_bytes(png(40 + at))
                row |= {"images": [f"{at}.png"], "step_images": [f"{at}.png"]}
            (place / "test.json").write_text(json.dumps(found))
        else:
            write_parquet(place / "test-00000-of-00001.parquet", found)
    (folder / "dataset_infos.json").write_text("{}")
    return folder
