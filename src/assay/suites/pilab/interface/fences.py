"""The fenced block of code in a reply."""

from __future__ import annotations

import re

FENCE = re.compile(r"```(?:python3?|py)?[ \t]*\r?\n(.*?)```", re.DOTALL | re.IGNORECASE)
"""The first fenced block of a reply, as the published program finds it."""

NARROW_FENCE = re.compile(r"```(?:python|py)?[ \t]*\r?\n(.*?)```", re.DOTALL)
"""The same in the mode `mended`."""
