"""What was taken over from others is what the notices say."""

from __future__ import annotations

import re
from pathlib import Path

from assay.report import page
from assay.tables.digest import file_digest

ROOT = Path(__file__).parents[2]


def test_the_notices_name_the_hash_of_every_vendored_script() -> None:
    notices = (ROOT / "THIRD_PARTY_NOTICES.md").read_text()
    for file in sorted((page.FOLDER.parent / "assets").glob("*.min.js")):
        assert re.search(rf"{file.name}.*?`{file_digest(file)}`", notices, re.DOTALL)
        assert file.with_name(file.name.replace(".min.js", ".LICENSE")).is_file()
