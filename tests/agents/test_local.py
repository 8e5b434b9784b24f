"""A model in this process: what it is asked, and one small real model, live."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from tests.agents.sessions import recorded, requests_noted

from assay import canonical
from assay.agents import local
from assay.agents.connection import connect
from assay.agents.player import Limits, Player
from assay.agents.ratelimit import Access, RateLimit
from assay.agents.transport import Conversation, Endpoint, Message, Reply, TransportError
from assay.config.agents import Agents, ModelEntry
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.identity import Identity
from assay.errors import ConfigError
from assay.protocol import Tool

LOOK = Tool(
    "look", {"type": "object", "properties": {"at": {"type": "integer"}}, "required": ["at"]}, "Look."
)
END = Tool("end", {"type": "object", "properties": {}}, "End.")
IDENTITY = Identity("a", "s", "t", "u", 0)


@dataclass
class Server:
    """Takes a request as llama.cpp does, and answers with what it is told."""

    answer: Any
    asked: list[dict[str, Any]] = field(default_factory=list)

    def handle_chat_completions(self, body: dict[str, Any]) -> Any:
        self.asked.append(body)
        return self.answer


def answer(text: str, reason: str = "stop") -> dict[str, Any]:
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": reason}
    return {"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 4}}


def talk() -> Conversation:
    found = Conversation("You look.", (LOOK, END))
    found.add(Message("user", ("Look.", {"n": 1})))
    return found


def test_a_reply_is_constrained_to_a_call() -> None:
    server = Server(answer('{"tool":"look","arguments":{"at":1}}'))
    reply = local.LocalTransport(server, {"temperature": 0, "max_tokens": 20}).ask(talk().request())
    assert reply == Reply('{"tool":"look","arguments":{"at":1}}', tokens_in=9, tokens_out=4)
    (body,) = server.asked
    assert body["messages"] == [
        {"role": "system", "content": "You look."},
        {"role": "user", "content": 'Look.\n\n{"n":1}'},
    ]
    assert (body["temperature"], body["max_tokens"], body["cache_prompt"]) == (0, 20, False)
    check = Draft202012Validator(body["response_format"]["json_schema"]["schema"])
    assert check.is_valid({"tool": "look", "arguments": {"at": 1}})
    assert check.is_valid({"tool": "end", "arguments": {}})
    assert not check.is_valid({"tool": "end"})
    assert not check.is_valid({"tool": "look", "arguments": {"at": "1"}})
    assert not check.is_valid({"tool": "leave", "arguments": {}})


def test_without_tools_a_reply_is_free_text() -> None:
    server = Server(answer("PASSED"))
    question = Conversation("You judge.", ())
    question.add(Message("user", ("A run.",)))
    assert local.LocalTransport(server, {}).ask(question.request()).text == "PASSED"
    assert "response_format" not in server.asked[0]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (answer("{", "length"), Reply("{", stop="length", tokens_in=9, tokens_out=4)),
        ({"error": {"type": local.SHORT_OF_ROOM}}, Reply("", stop="length")),
    ],
)
def test_what_does_not_fit_is_cut(said: Any, expected: Reply) -> None:
    assert local.LocalTransport(Server(said), {}).ask(talk().request()) == expected


def test_a_failure_of_the_library_is_no_reply() -> None:
    with pytest.raises(TransportError, match="invalid_request_error") as caught:
        local.LocalTransport(Server({"error": {"type": "invalid_request_error"}}), {}).ask(talk().request())
    assert not caught.value.again


def test_a_failing_library_is_asked_as_often_as_is_noted(tmp_path: Path) -> None:
    server = Server({"error": {"type": "server_error"}})
    _, outcome = recorded(
        tmp_path, transport=local.LocalTransport(server, {}), limit=RateLimit(Access(retries=5))
    )
    assert (outcome.status, outcome.reason) == ("transport", "llama.cpp: server_error")
    assert len(server.asked) == requests_noted(tmp_path) == 1


def test_a_missing_or_another_file_is_named(tmp_path: Any) -> None:
    player = Player({"kind": "local", "name": "x", "sha256": "0" * 64, "context": 512})
    (tmp_path / "x.gguf").write_bytes(b"x")
    for file, problem in [
        (None, "access"),
        (str(tmp_path / "y.gguf"), "there is no file"),
        (str(tmp_path / "x.gguf"), "is not the model"),
        ("no_such_package:x.gguf", "not installed"),
    ]:
        with pytest.raises(ConfigError, match=problem) as caught:
            connect(player, IDENTITY, MemoryBlobs(), Endpoint(file=file))
        assert caught.value.remedy


# --- one real model ---------------------------------------------------------------------------------------


def smollm2() -> tuple[Player, Endpoint]:
    """The small model of the repository's own agents, with few and short replies."""
    text = (Path(__file__).parents[2] / "config/agents.yaml").read_text()
    entry = Agents.model_validate(yaml.safe_load(text)).agents["smollm2"]
    assert isinstance(entry, ModelEntry)
    decoding = {**entry.decoding.model_dump(exclude_none=True), "max_tokens": 60}
    player = Player(entry.transport.model_dump(mode="json"), Limits(turns=2), decoding)
    return player, Endpoint(file=entry.access.file)


def test_a_real_model_plays_live_and_the_same_twice() -> None:
    """Whatever it says, it says the same again, and it is a call that fits its schema or was cut."""
    pytest.importorskip("xllamacpp", reason="needs the extra `local`: make setup EXTRAS=local")
    player, endpoint = smollm2()
    try:
        transport = connect(player, IDENTITY, MemoryBlobs(), endpoint)
    except ConfigError as problem:
        pytest.skip(f"needs the extra `local`: {problem}")
    replies = [transport.ask(talk().request()) for _ in range(2)]
    assert replies[0] == replies[1]
    if replies[0].stop == "end":
        call = canonical.loads(replies[0].text)
        assert Draft202012Validator(local.call_schema((LOOK, END))).is_valid(call)
