"""What libraries log holds no key: neither in the message, its arguments, nor in a traceback."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import pytest

from assay.agents import redaction

SECRET = "sk-4711/very=secret"


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    before = logging.getLogRecordFactory()
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    logger = logging.getLogger("a-library")
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    monkeypatch.setattr(redaction, "_hidden", {})
    redaction.hide("PART_OF_IT", "secret")
    redaction.hide("THE_KEY", SECRET)
    yield written
    logging.setLogRecordFactory(before)
    logger.removeHandler(handler)


def test_a_key_in_a_record_is_its_name(log: io.StringIO) -> None:
    logger = logging.getLogger("a-library")
    logger.debug("sent %s", {"Authorization": f"Bearer {SECRET}"})
    logger.warning(f"the server says: {SECRET} is wrong")
    try:
        raise ValueError(f"wrong key {SECRET}")
    except ValueError:
        logger.exception("failed with %r", SECRET)
    logger.info("%d", "no number")
    logger.info("as it %s", "was")
    said = log.getvalue()
    assert SECRET not in said
    assert said.count("[THE_KEY]") == 4
    assert "ValueError: wrong key [THE_KEY]" in said and "as it was" in said
