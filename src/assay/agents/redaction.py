"""Redaction of keys in the log records of all libraries, whatever level of logging a user has chosen.

The client of a provider logs requests, responses and errors, and a faulty server may repeat the key in any of
them. So every record of Python's `logging`, including its traceback, is searched before a handler gets it.
"""

from __future__ import annotations

import logging
from typing import Any

_hidden: dict[str, str] = {}


def hide(name: str, secret: str) -> None:
    """Replace a secret by the name of its variable in every later log record."""
    if not _hidden:
        _install()
    _hidden[secret] = f"[{name}]"


def redacted(text: str) -> str:
    """Return the text with the names of variables in place of the secrets that were given to `hide`."""
    for secret, name in sorted(_hidden.items(), key=_longest_first):
        text = text.replace(secret, name)
    return text


def _longest_first(hidden: tuple[str, str]) -> int:
    """Return a sort key. A secret may contain a shorter one, so longer secrets are replaced first."""
    return -len(hidden[0])


def _install() -> None:
    make = logging.getLogRecordFactory()

    def record(*args: Any, **more: Any) -> logging.LogRecord:
        made = make(*args, **more)
        try:
            message = made.getMessage()
        except Exception:  # a library's mistake, for which a handler would print the arguments
            made.msg, made.args = "a log record that cannot be formatted", ()
            return made
        if (clean := redacted(message)) != message:
            made.msg, made.args = clean, ()
        if made.exc_info:
            made.exc_text = redacted(logging.Formatter().formatException(made.exc_info))
            made.exc_info = None
        return made

    logging.setLogRecordFactory(record)
