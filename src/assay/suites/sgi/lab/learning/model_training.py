"""A model of a local folder, trained by TRL's GRPOTrainer on rewards without a reference (extra `ttrl`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import ConfigError
from assay.suites.sgi.embeddings.embedder import NamedEmbedder
from assay.suites.sgi.lab.learning.configuration import Learning, Training
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
    tell: Callable[[str], None] = print,
) -> Trained:
    """Train the model of a folder; `scratch` is for what the trainer writes. The folder stays as it is."""
    training = settings.training
    model, tokenizer = load(folder, training.bf16)
    import torch
    from datasets import Dataset
    from transformers import PrinterCallback
    from trl import GRPOConfig, GRPOTrainer

    torch.set_num_threads(training.threads)
    torch.manual_seed(training.seed)
    before = replies(model, tokenizer, held_out, training)
    rewarding = _Rewards(settings, prompts, embedder)
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=rewarding.functions,
        args=GRPOConfig(
            output_dir=str(scratch),
            reward_weights=[1.0] * len(rewarding.functions),
            # TRL counts the batch in replies, and a step must hold whole groups.
            **training.model_dump(exclude={"threads"}),
            logging_steps=1,
            report_to="none",
            save_strategy="no",
            disable_tqdm=True,
            use_cpu=not torch.cuda.is_available(),
            gradient_checkpointing=False,
            optim="adamw_torch",
            remove_unused_columns=False,
            shuffle_dataset=True,
        ),
        train_dataset=Dataset.from_list(
            [{"prompt": asked(tokenizer, prompt), "number": k} for k, prompt in enumerate(prompts)]
        ),
        processing_class=tokenizer,
        callbacks=[_curve_callback(rewarding, tell)],
    )
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    return Trained(model, tokenizer, rewarding.curve, before, replies(model, tokenizer, held_out, training))


def asked(tokenizer: Any, prompt: Prompt) -> Any:
    """A prompt as the model takes it: as a message where its tokenizer knows messages, else as text."""
    return [{"role": "user", "content": prompt.text}] if tokenizer.chat_template else prompt.text


def replies(
    model: Any, tokenizer: Any, prompts: Sequence[Prompt], training: Training
) -> list[tuple[Prompt, str]]:
    """A group of replies to each prompt, sampled as in training; the same for the same weights and seed."""
    import torch

    found = []
    state = torch.get_rng_state()
    torch.manual_seed(training.seed)
    model.eval()
    for prompt in prompts:
        said = asked(tokenizer, prompt)
        text = (
            said
            if isinstance(said, str)
            else tokenizer.apply_chat_template(said, tokenize=False, add_generation_prompt=True)
        )
        given = tokenizer([text] * training.num_generations, return_tensors="pt").to(model.device)
        with torch.no_grad():
            made = model.generate(
                **given,
                do_sample=True,
                temperature=training.temperature,
                top_k=0,
                max_new_tokens=training.max_completion_length,
                pad_token_id=tokenizer.pad_token_id,
            )
        new = made[:, given["input_ids"].shape[1] :]
        found += [(prompt, reply) for reply in tokenizer.batch_decode(new, skip_special_tokens=True)]
    torch.set_rng_state(state)
    return found


class _Rewards:
    """The reward functions as TRL calls them, and what they gave, step by step."""

    def __init__(self, settings: Learning, prompts: Sequence[Prompt], embedder: NamedEmbedder) -> None:
        self._prompts, self._embedder = prompts, embedder
        self._threshold = settings.rewarding.threshold
        self._names = OBJECTIVES[settings.rewarding.objective].counts
        self.functions = [self._function(name) for name in self._names]
        self.curve: list[Row] = []

    def _function(self, name: str) -> Callable[..., list[float]]:
        def reward(completions: Sequence[Any], number: Sequence[int], **columns: Any) -> list[float]:
            return [
                getattr(rewards(_text(c), self._prompts[k].related, self._embedder, self._threshold), name)
                for c, k in zip(completions, number, strict=True)
            ]

        reward.__name__ = name  # TRL takes it for its log
        return reward

    def note(self, step: int, logs: Row) -> Row | None:
        """A row of the curve from TRL's log of a step; None where the log is of something else."""
        means: Row = {name: logs.get(f"rewards/{name}/mean") for name in self._names}
        if None in means.values():
            return None
        total = sum(means.values())
        more = {"length": logs["completions/mean_length"], "loss": logs.get("loss")}
        self.curve.append({"step": step, "soundness": None, **means, "total": total, **more})
        return self.curve[-1]


def _text(completion: Any) -> str:
    """A completion, which is a list of messages where prompts are."""
    return completion if isinstance(completion, str) else str(completion[-1]["content"])


def _curve_callback(rewarding: _Rewards, tell: Callable[[str], None]) -> Any:
    """Keeps the curve, and says now and then how it goes."""
    from transformers import TrainerCallback

    class Curve(TrainerCallback):  # type: ignore[misc]
        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **more: Any) -> None:
            row = rewarding.note(state.global_step, logs or {})
            if row is not None and (row["step"] % 25 == 0 or row["step"] == 1):
                tell(
                    f"step {row['step']} of {args.max_steps}: form {row['format']:.2f}, new "
                    f"{row['novelty']:.2f}, reward {row['total']:.2f}"
                )

    return Curve()
