"""A model of a local folder, trained by TRL's GRPOTrainer on rewards without a reference (extra `ttrl`)."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import ConfigError
from assay.suites.sgi.embeddings.embedder import NamedEmbedder
from assay.suites.sgi.lab.learning.configuration import Learning
from assay.suites.sgi.lab.learning.prompts import Prompt
from assay.suites.sgi.lab.learning.rewards import OBJECTIVES, rewards

Row = dict[str, Any]


@dataclass
class Trained:
    """A model with its tokenizer, the course of its training, and replies before and after."""

    model: Any
    tokenizer: Any
    curve: list[Row]
    before: list[tuple[Prompt, str]]
    after: list[tuple[Prompt, str]]


def load(folder: Path, bf16: bool) -> tuple[Any, Any]:
    """The model and tokenizer of a local folder; nothing is ever fetched.

    `ConfigError` where the extra is missing or the folder holds no model.
    """
    if not (folder / "config.json").is_file():
        raise ConfigError(
            f"{folder} is no folder with a model (it has no config.json)",
            "give the folder to which a model was saved; names of a hub are not looked up",
        )
    try:
        # Before the libraries look at it: nothing goes out.
        os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
        import torch
        import transformers
        import trl  # noqa: F401
    except ImportError as problem:
        raise ConfigError(
            f"learning needs the extra `ttrl` ({problem})", "install it: make setup EXTRAS=ttrl"
        ) from problem
    kind = torch.bfloat16 if bf16 else torch.float32
    try:
        model = transformers.AutoModelForCausalLM.from_pretrained(folder, local_files_only=True, dtype=kind)
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError) as problem:
        raise ConfigError(
            f"{folder} holds no model that can be loaded: {problem}", "save it anew"
        ) from problem
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return model, tokenizer


def train(
    folder: Path,
    scratch: Path,
    settings: Learning,
    prompts: Sequence[Prompt],
    held_out: Sequence[Prompt],
    embedder: NamedEmbedder,
) -> Trained:
    """Train the model of a folder; `scratch` is for what the trainer writes. The folder stays as it is."""
    model, tokenizer = load(folder, bool(settings.training.get("bf16")))
    import torch
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    names = OBJECTIVES[settings.rewarding.objective].counts
    try:
        arguments = GRPOConfig(
            output_dir=str(scratch),
            reward_weights=[1.0] * len(names),
            **settings.training,
            logging_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=not torch.cuda.is_available(),
            gradient_checkpointing=False,
            optim="adamw_torch",
            remove_unused_columns=False,
            shuffle_dataset=True,
        )
    except (TypeError, ValueError) as problem:
        raise ConfigError(f"TRL refuses `training`: {problem}", "correct the file, or --set") from problem
    torch.set_num_threads(1)  # so that a run is the same each time
    before = replies(model, tokenizer, held_out, arguments)
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=[_reward(name, settings, prompts, embedder) for name in names],
        args=arguments,
        train_dataset=Dataset.from_list(
            [{"prompt": asked(tokenizer, prompt), "number": k} for k, prompt in enumerate(prompts)]
        ),
        processing_class=tokenizer,
    )
    with contextlib.redirect_stdout(sys.stderr):  # where TRL reports progress
        trainer.train()
    curve = [_row(logs, names) for logs in trainer.state.log_history if f"rewards/{names[0]}/mean" in logs]
    return Trained(model, tokenizer, curve, before, replies(model, tokenizer, held_out, arguments))


def asked(tokenizer: Any, prompt: Prompt) -> Any:
    """A prompt as the model takes it: as a message where its tokenizer knows messages, else as text."""
    return [{"role": "user", "content": prompt.text}] if tokenizer.chat_template else prompt.text


def replies(
    model: Any, tokenizer: Any, prompts: Sequence[Prompt], arguments: Any
) -> list[tuple[Prompt, str]]:
    """A group of replies to each prompt, sampled as in training; the same for the same weights and seed."""
    import torch

    found = []
    state = torch.get_rng_state()
    torch.manual_seed(arguments.seed)
    model.eval()
    for prompt in prompts:
        text = asked(tokenizer, prompt)
        if not isinstance(text, str):
            text = tokenizer.apply_chat_template(text, tokenize=False, add_generation_prompt=True)
        given = tokenizer([text] * arguments.num_generations, return_tensors="pt").to(model.device)
        with torch.no_grad():
            made = model.generate(
                **given,
                do_sample=True,
                temperature=arguments.temperature,
                top_k=0,
                max_new_tokens=arguments.max_completion_length,
                pad_token_id=tokenizer.pad_token_id,
            )
        new = made[:, given["input_ids"].shape[1] :]
        found += [(prompt, reply) for reply in tokenizer.batch_decode(new, skip_special_tokens=True)]
    torch.set_rng_state(state)
    return found


def _reward(
    name: str, settings: Learning, prompts: Sequence[Prompt], embedder: NamedEmbedder
) -> Callable[..., list[float]]:
    """A reward as TRL calls it; a completion is a list of messages where prompts are."""
    threshold = settings.rewarding.threshold

    def reward(completions: Sequence[Any], number: Sequence[int], **columns: Any) -> list[float]:
        texts = (c if isinstance(c, str) else str(c[-1]["content"]) for c in completions)
        return [
            getattr(rewards(text, prompts[k].related, embedder, threshold), name)
            for text, k in zip(texts, number, strict=True)
        ]

    reward.__name__ = name  # TRL takes it for its log
    return reward


def _row(logs: Row, names: Sequence[str]) -> Row:
    """A row of the curve from TRL's log of a step."""
    means = {name: logs[f"rewards/{name}/mean"] for name in names}
    more = {"length": logs["completions/mean_length"], "loss": logs.get("loss")}
    return {"step": logs["step"], "soundness": None, **means, "total": sum(means.values()), **more}
