"""`python -m tests.judgements [SUITE...]`: freeze what the rules say now. Read the difference."""

from __future__ import annotations

import json
import sys

from tests.judgements.episodes import PLAYED, part, parts
from tests.judgements.judging import FOLDER, judgement

for name in sys.argv[1:] or PLAYED:
    lines = [
        json.dumps({"episode": called, **judgement(name, task, episode)}, ensure_ascii=False) + "\n"
        for which in parts(name)
        for called, task, episode in part(name, which)
    ]
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    print(f"{name}: {len(lines)} episodes")
