"""A language model of 100,000 random weights, warmed up on replies of which one in eight has the form.

Run as a program: `python -m tests.suites.sgi.tiny_model FOLDER`. A model without any chance of the form would
never be rewarded, and learn nothing; this one starts where a small real model might.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

TAGS = ("<think>", "</think>", "<answer>", "</answer>")
END = "<end>"

FORMS = (
    "<think>{a}</think><answer>{b}</answer>",
    "<think>{a}</think>{b}",
    "<answer>{b}</answer>",
    "<think>{a}<answer>{b}</answer>",
    "<think>{a}</think><answer>{b}",
    "<answer>{b}</answer><think>{a}</think>",
    "<think>{a}</think><answer>{b}</answer>{a}",
    "{b}",
)
WORDS = ("new", "old", "try", "map", "fit", "net")


def tokenizer() -> Any:
    """Bytes, the four tags as tokens of their own, and an end."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE({sign: k for k, sign in enumerate(alphabet)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    made.add_tokens(list(TAGS))
    found = PreTrainedTokenizerFast(tokenizer_object=made, eos_token=END, pad_token=END)
    found.padding_side = "left"
    return found


def make(folder: Path, prompt: str, steps: int = 150, seed: int = 0) -> None:
    """Write the model to a folder; `prompt` is what it will be asked."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    signs = tokenizer()
    config = Qwen3Config(
        vocab_size=len(signs),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=32,
        max_position_embeddings=256,
        tie_word_embeddings=True,
        eos_token_id=signs.eos_token_id,
        pad_token_id=signs.pad_token_id,
        bos_token_id=None,
    )
    model = Qwen3ForCausalLM(config)
    chance = random.Random(seed)
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
    start = signs(prompt)["input_ids"]
    for _ in range(steps):
        texts = [
            chance.choice(FORMS).format(a=chance.choice(WORDS), b=chance.choice(WORDS)) for _ in range(16)
        ]
        rows = [start + signs(text)["input_ids"] + [signs.eos_token_id] for text in texts]
        width = max(map(len, rows))
        ids = torch.tensor([row + [signs.pad_token_id] * (width - len(row)) for row in rows])
        labels = torch.tensor(
            [[-100] * len(start) + row[len(start) :] + [-100] * (width - len(row)) for row in rows]
        )
        loss = model(input_ids=ids, labels=labels).loss
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
    model.save_pretrained(folder)
    signs.save_pretrained(folder)


if __name__ == "__main__":
    from assay.suites.sgi.lab.learning.prompts import FORM

    make(Path(sys.argv[1]), f"{FORM}\n"[-16:])
