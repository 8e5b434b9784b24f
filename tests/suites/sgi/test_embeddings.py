"""Embedders: each row names its own; the small language model knows meaning; nobody needs its extra."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.suites.sgi import archived

from assay.errors import ConfigError, UnknownName
from assay.suites.sgi.columns import column
from assay.suites.sgi.embeddings import minilm
from assay.suites.sgi.embeddings.embedder import HASHED, embedder
from assay.suites.sgi.metrics.embedding import cosine
from assay.suites.sgi.metrics.ideas import effectiveness
from assay.suites.sgi.v0.replies import SOLUTIONS

solve = SOLUTIONS["idea_generation"]


def test_rows_name_the_embedder() -> None:
    row = archived.row("ideas-v0")
    for profile in ("objective", "released"):
        values = [v for v in column.score("idea_generation", row, solve(row), profile) if v.value]
        assert values
        assert all(value.label.startswith("hash-tf-v1") for value in values)


def test_unknown_embedder() -> None:
    with pytest.raises(UnknownName, match="hash-tf-v1, minilm-l6-v2-int8"):
        embedder("word2vec")


def test_without_the_extra_only_who_asks_for_it_notices() -> None:
    """A process in which the extra cannot be imported scores as ever, and says what to install."""
    program = """
import sys
sys.modules.update(onnxruntime=None, tokenizers=None)
from assay.suites.sgi.columns import column
from assay.suites.sgi.embeddings.embedder import embedder
row = {"keywords": ["sieve"], "related_work": "{'a': 'b c'}", "related_work_test": "{'d': 'e'}"}
values = list(column.score("idea_generation", row, '{"Idea": "A sieve of nets."}'))
assert values[0].value == 1.0 and values[0].label.startswith("hash-tf-v1")
embedder("minilm-l6-v2-int8")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr.strip().endswith("remedy: install it: make setup EXTRAS=embeddings")


class TestMiniLM:
    @pytest.fixture(autouse=True)
    def _extra(self) -> None:
        pytest.importorskip("onnxruntime")
        pytest.importorskip("tokenizers")

    def test_vectors(self) -> None:
        network = embedder("minilm-l6-v2-int8")
        cat, feline, market = map(
            network, ("A cat sits on the mat.", "The feline is resting on the rug.", "Shares fell today.")
        )
        assert len(cat) == 384
        assert cosine(cat, cat) == pytest.approx(1)
        assert cosine(cat, feline) > 0.4
        assert cosine(cat, market) < 0.2
        assert network(" ") == {}
        hashed = HASHED("A cat sits on the mat."), HASHED("The feline is resting on the rug.")
        assert cosine(*hashed) < cosine(cat, feline)  # hashed words see those alone that they share

    @pytest.mark.full  # loading PyTorch takes its time
    def test_it_is_the_published_model(self) -> None:
        """Whole-number weights cost little: the same package has the weights as published."""
        torch = pytest.importorskip("torch")
        transformers = pytest.importorskip("transformers")
        folder = minilm.file("tokenizer").parent
        published = transformers.AutoModel.from_pretrained(folder, local_files_only=True)
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
        text = "Sparse recovery of a field from noisy projections, with a learned prior."
        with torch.no_grad():
            states = published(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
        mean = states.mean(0) / states.mean(0).norm()
        assert cosine(embedder("minilm-l6-v2-int8")(text), dict(enumerate(mean.tolist()))) > 0.98

    def test_long_texts_are_cut(self) -> None:
        network = embedder("minilm-l6-v2-int8")
        assert network("word " * 300) == network("word " * 400)
        assert network("word " * 100) != network("word " * 200)

    def test_a_keyword_in_other_words_counts(self) -> None:
        idea = "We collect the data. A neural net passes messages on graphs."
        keywords = [["graph neural network"], ["plasma physics"]]
        assert effectiveness(idea, keywords) == (0.0, "")
        assert effectiveness(idea, keywords, embedder("minilm-l6-v2-int8")) == (5.0, "")

    def test_scores_differ_and_say_so(self) -> None:
        row = archived.row("ideas-v0")
        network = embedder("minilm-l6-v2-int8")
        both = [
            {v.metric: v for v in column.score("idea_generation", row, solve(row), embedder=own)}
            for own in (HASHED, network)
        ]
        assert both[1]["novelty_nn"].label.startswith("minilm-l6-v2-int8")
        # Its own field is near in meaning, whatever the words: novelty is less.
        assert (both[1]["novelty_nn"].value or 0) < (both[0]["novelty_nn"].value or 0)

    def test_another_file_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        package, name, _ = minilm.FILES["tokenizer"]
        monkeypatch.setitem(minilm.FILES, "tokenizer", (package, name, "0" * 64))
        minilm.load.cache_clear()
        with pytest.raises(ConfigError, match="is another tokenizer"):
            minilm.load()
