"""The pool of actions in its released grammar."""

from __future__ import annotations

import re

HEAD = re.compile(r"^[ \t]{0,8}<?([^<>()\n:]{1,100})>?[ \t]{0,8}\(([^()\n]*)\)[ \t]*$", re.M)


def pool_names(pool: str) -> list[str]:
    """The names of the actions of a pool, as written."""
    return [match[1].strip() for match in HEAD.finditer(pool)]
