"""Models behind Inspect AI, against a server of our own: every reply and every failure has a definite end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.agents import server as server_module
from tests.agents.scripts import urn
from tests.agents.server import Answer, Fault, Server, native_call
from tests.agents.sessions import SET, SUITE, materials, requests_noted, task_with

from assay.agents import provider as provider_module
from assay.agents.connection import connect, disconnect
from assay.agents.fakes import call
from assay.agents.player import Player, ToolProtocol
from assay.agents.ratelimit import Access, RateLimit
from assay.agents.transport import Conversation, Endpoint, Message, Reply, Request, ToolCall, TransportError
from assay.episodes.blobs import MemoryBlobs
from assay.errors import ConfigError
from assay.numbers import rng
from assay.protocol import Tool
from assay.sessions.record import Outcome, record
from assay.sessions.recording import Identity, read
from assay.sessions.replay import replay

pytest.importorskip("inspect_ai", reason="needs the extra `models`: make setup EXTRAS=models")
pytest.importorskip("openai", reason="needs the extra `models`: make setup EXTRAS=models")

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs

NUMBER = {"type": "object", "properties": {"at": {"type": "integer"}}, "required": ["at"]}
LOOK = Tool("look", NUMBER, "Look.")


@pytest.fixture(autouse=True, scope="module")
def connections() -> Iterator[None]:
    yield
    disconnect()


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", "secret")


def player(protocol: ToolProtocol = "json", **decoding: Any) -> Player:
    return Player({"kind": "provider", "model": "openai/gpt-fake"}, decoding=decoding, protocol=protocol)


def endpoint(server: Server, monkeypatch: pytest.MonkeyPatch, timeout: float = 30.0) -> Endpoint:
    monkeypatch.setenv("TEST_ADDRESS", server.address)
    return Endpoint(key="TEST_KEY", address="TEST_ADDRESS", timeout=timeout)


def conversation(*messages: Message) -> Request:
    talk = Conversation("You look.", (LOOK,))
    for message in messages:
        talk.add(message)
    return talk.request()


def asked(
    answer: Answer,
    monkeypatch: pytest.MonkeyPatch,
    request: Request | None = None,
    player: Player = player(),  # noqa: B008
    timeout: float = 30.0,
) -> tuple[Reply, Server]:
    """The reply of a server that answers so."""
    with Server(answer) as server:
        transport = connect(
            player, Identity("a", "s", "t", "u", 0), MemoryBlobs(), endpoint(server, monkeypatch, timeout)
        )
        return transport.ask(request or conversation(Message("user", ("Look.", {"n": 1})))), server


def test_a_request_is_what_the_conversation_says(monkeypatch: pytest.MonkeyPatch) -> None:
    reply, server = asked(
        lambda body, n: call("look", at=1), monkeypatch, player=player(temperature=0.0, max_tokens=50)
    )
    assert reply == Reply(call("look", at=1), tokens_in=12, tokens_out=3)
    (body,) = server.bodies
    said = [(m["role"], json.dumps(m["content"])) for m in body["messages"]]
    assert [role for role, _ in said] == ["system", "user"]
    assert (
        "You look." in said[0][1] and "Look." in said[1][1] and '{\\"n\\":1}' in said[1][1].replace(" ", "")
    )
    assert body["model"] == "gpt-fake" and not body.get("tools")
    assert body["temperature"] == 0.0
    assert 50 in (body.get("max_tokens"), body.get("max_completion_tokens"))


def test_native_calls_go_out_and_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    before = (
        Message("user", ("Look.",)),
        Message("assistant", ("I look.",), (ToolCall("look", {"at": 1}, "c0"),)),
        Message("tool", ("Result of look:", "red"), id="c0"),
    )
    reply, server = asked(
        lambda body, n: native_call("look", at=2), monkeypatch, conversation(*before), player("native")
    )
    assert reply.calls == (ToolCall("look", {"at": 2}, "c1"),)
    (body,) = server.bodies
    assert [tool["function"]["name"] for tool in body["tools"]] == ["look"]
    assert body["tools"][0]["function"]["parameters"]["properties"]["at"]["type"] == "integer"
    assert [m["role"] for m in body["messages"]] == ["system", "user", "assistant", "tool"]
    assert body["messages"][3]["tool_call_id"] == "c0"


def test_a_picture_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    blobs = MemoryBlobs()
    picture = blobs.put(b"\x89PNG", "image/png")
    with Server(lambda body, n: "I see.") as server:
        where = endpoint(server, monkeypatch)
        transport = connect(player(), Identity("a", "s", "t", "u", 0), blobs, where)
        transport.ask(conversation(Message("user", ("Look.", picture))))
    assert "data:image/png;base64,iVBORw==" in json.dumps(server.bodies[0])


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Fault("cut"), Reply("", stop="length", tokens_in=12, tokens_out=3)),
        (Fault("refusal"), Reply("", stop="refusal", tokens_in=12, tokens_out=3)),
    ],
)
def test_cut_and_refused_replies_are_replies(
    fault: Fault, expected: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert asked(lambda body, n: fault, monkeypatch)[0] == expected


@pytest.mark.parametrize(
    ("fault", "problem", "again"),
    [
        (Fault("status", 429), "HTTP 429", True),
        (Fault("status", 500), "HTTP 500", True),
        (Fault("status", 503), "HTTP 503", True),
        (Fault("status", 403), "HTTP 403", False),
        (Fault("status", 404), "HTTP 404", False),
        (Fault("half"), "failed", True),
        (Fault("not json"), "is no JSON", True),
        (Fault("other json"), "cannot be used", True),
        (Fault("silence"), "no reply within 1 seconds", True),
    ],
    ids=lambda value: f"{value.kind}-{value.status}" if isinstance(value, Fault) else None,
)
def test_failures_are_named_and_told_apart(
    fault: Fault, problem: str, again: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    timeout = 1.0 if fault.kind == "silence" else 30.0
    with pytest.raises(TransportError, match=problem) as caught:
        asked(lambda body, n: fault, monkeypatch, timeout=timeout)
    assert caught.value.again is again
    # What the other side says of itself is for the console; the reason goes into a table.
    assert "10.0.0.1" not in str(caught.value) and "Thursday" not in str(caught.value)
    if fault.kind == "status":
        assert caught.value.message.endswith(": at 10.0.0.1, Thursday")


def test_a_reply_that_is_no_json_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shortened, on one line, and without the key or what would steer a terminal."""
    with pytest.raises(TransportError) as caught:
        asked(lambda body, n: Fault("not json"), monkeypatch)
    assert str(caught.value) == "the provider's reply is no JSON"
    assert "<html> no?[1m, [TEST_KEY]</html>!!!" in caught.value.message
    assert caught.value.message.endswith("!...") and len(caught.value.message) < 400


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (401, "Incorrect API key provided: secret."),
        (403, "Your API key has no access."),
        (400, "API key not valid. Please pass a valid API key."),
    ],
)
def test_a_refused_key_is_no_lost_connection(
    status: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError) as caught:
        asked(lambda body, n: Fault("status", status, message), monkeypatch)
    said = message.replace("secret", "[TEST_KEY]")
    assert caught.value.message == (
        f"the provider of openai/gpt-fake refuses the key in TEST_KEY (HTTP {status}): {said}"
    )
    assert "export TEST_KEY=" in caught.value.remedy


def test_the_provider_says_how_long_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TransportError) as caught:
        asked(lambda body, n: Fault("status", 429, retry_after="17"), monkeypatch)
    assert caught.value.wait == 17.0


def test_a_provider_that_counts_no_tokens_or_too_many_is_no_provider(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Below zero they would pay for other replies, and beyond 64 bits no table can hold them."""
    for tokens in (-1, 1 << 70):
        monkeypatch.setattr(server_module, "READ", tokens)
        with pytest.raises(TransportError, match=r"impossible number of tokens|failed") as caught:
            asked(lambda body, n: "hello", monkeypatch)
        assert caught.value.again is ("failed" in str(caught.value))


def test_a_reply_without_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider_module, "LONGEST", 1000)
    reply, _ = asked(lambda body, n: "x" * 5000, monkeypatch)
    assert (len(reply.text), reply.stop) == (1000, "length")


# --- how often a request is sent --------------------------------------------------------------------------

OPENAI = (
    "cloudflare",
    "deepseek",
    "fireworks",
    "hf-inference-providers",
    "litellm-proxy",
    "llama-cpp-python",
    "meta",
    "moonshot",
    "ollama",
    "openai",
    "openai-api",
    "openrouter",
    "perplexity",
    "sambanova",
    "sglang",
    "together",
    "vllm",
)
"""The providers of Inspect that use OpenAI's package."""

PACKAGES = {
    "anthropic": "anthropic",
    "bedrock": "aiobotocore",
    "google": "google.genai",
    "groq": "groq",
    "mistral": "mistralai",
    "sagemaker": "aiobotocore",
}
"""Those with a package of their own, which is tried where it is installed."""

NOT_ASKED = {
    "hf",
    "mockllm",
    "nnterp",
    "none",
    "transformer_lens",
    "openai-api-completions",
    "vllm-completions",
}
"""Those that send no request: models in this process, stand-ins, and those that take no conversation."""


NOT_TRIED = {"grok"}
"""Those that cannot speak to the server here: grok's client (gRPC) is told so by an argument of Inspect."""

UNCOUNTED = {"azureai"}
"""Those whose client repeats requests and gives no way to switch that off: whoever uses one is told so."""


def test_it_is_known_of_every_provider_how_often_it_asks() -> None:
    """A provider that a new version of Inspect brings must be looked at: does its client repeat requests?"""
    from inspect_ai._util.registry import registry_find, registry_unqualified_name

    provided = {
        registry_unqualified_name(each) for each in registry_find(lambda info: info.type == "modelapi")
    }
    assert provided == {*OPENAI, *PACKAGES, *NOT_ASKED, *NOT_TRIED, *UNCOUNTED}


@pytest.mark.parametrize("name", [*OPENAI, *PACKAGES])
def test_no_client_repeats_a_request_by_itself(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that is always busy gets exactly the requests that are counted."""
    if name in PACKAGES:
        pytest.importorskip(PACKAGES[name], reason=f"needs the package {PACKAGES[name]}")
    for variable in ("CLOUDFLARE_ACCOUNT_ID", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(variable, "x")
    for variable in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.setenv(variable, "eu-north-1")
    model = "openai-api/mine/fake" if name == "openai-api" else f"{name}/fake"
    who = replace(player(), transport={"kind": "provider", "model": model})
    said: list[str] = []
    limit = RateLimit(Access(retries=5), sleep=lambda seconds: None, tell=said.append)
    with Server(lambda body, n: Fault("status", 429, retry_after="0")) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL", server.address)  # sagemaker takes no other
        live = connect(who, Identity("a", "s", "t", "u", 0), MemoryBlobs(), endpoint(server, monkeypatch))
        with pytest.raises(TransportError) as caught:
            limit.ask(lambda: live.ask(conversation(Message("user", ("Look.",)))), "urn, request 1")
    assert caught.value.again
    assert len(server.bodies) == 6
    assert [line.partition(": ")[0] for line in said] == ["urn, request 1"] * 6


def test_who_uses_a_client_that_may_repeat_requests_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stranger = replace(player(), transport={"kind": "provider", "model": "mockllm/model"})
    connect(stranger, Identity("a", "s", "t", "u", 0), MemoryBlobs())
    assert capsys.readouterr().err == ""
    provider_module.close()
    monkeypatch.setattr(provider_module, "SINGLE", frozenset())
    connect(stranger, Identity("a", "s", "t", "u", 0), MemoryBlobs())
    assert "the client library of mockllm may repeat requests by itself" in capsys.readouterr().err


# --- whole sessions ---------------------------------------------------------------------------------------


def through_http(body: Mapping[str, Any], number: int) -> Any:
    """The scripted player of the made-up suite, from what stands in the request alone."""
    messages = []
    for message in body["messages"][1:]:
        content = message["content"]
        texts = [content] if isinstance(content, str) else [part.get("text", "") for part in content]
        messages.append(Message("assistant" if message["role"] == "assistant" else "user", tuple(texts)))
    request = Request("", tuple(messages), (), "")
    return urn(request, rng.stream(1, len(messages)))


def session(
    root: Path, server: Server, monkeypatch: pytest.MonkeyPatch, model: str = "openai/gpt-fake"
) -> tuple[Path, Outcome]:
    found = materials()
    task = task_with(0, found)
    identity = Identity("far", SUITE.name, SET, task.task_id, 0)
    outcome = record(
        SUITE,
        task,
        identity,
        replace(player(), transport={"kind": "provider", "model": model}),
        found,
        root / "recordings",
        provenance=root / "provenance",
        endpoint=endpoint(server, monkeypatch, 2.0),
        limit=RateLimit(Access(retries=2), sleep=lambda seconds: None),
    )
    return identity.path(root / "recordings"), outcome


@pytest.mark.parametrize("model", ["openai/gpt-fake", "openai/gpt-5", "openai-api/mine/fake", "vllm/mine"])
def test_a_busy_server_gets_as_many_requests_as_are_noted(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Server(lambda body, n: Fault("status", 429, retry_after="0")) as server:
        _, outcome = session(tmp_path, server, monkeypatch, model)
    assert (outcome.status, outcome.reason) == ("transport", "the provider answered with HTTP 429")
    assert len(server.bodies) == requests_noted(tmp_path) == 3


def test_a_refused_key_leaves_the_session_to_be_taken_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It expires after three replies: they are kept, and no end is written that would look like one."""

    def expires(body: Mapping[str, Any], number: int) -> Any:
        return through_http(body, number) if number < 3 else Fault("status", 401, "expired")

    with Server(expires) as server, pytest.raises(ConfigError, match=r"TEST_KEY \(HTTP 401\): expired"):
        session(tmp_path, server, monkeypatch)
    assert len(server.bodies) == requests_noted(tmp_path) == 4
    (path,) = (tmp_path / "recordings").rglob("*.jsonl")
    assert len(read(path).turns) == 3 and read(path).end is None
    with Server(through_http) as server:
        _, outcome = session(tmp_path, server, monkeypatch)
    assert (outcome.status, outcome.repeated) == ("done", 0)
    assert len(server.bodies) == len(read(path).turns) - 3


def test_a_session_over_a_bad_line_is_the_session_over_a_good_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Server(through_http) as server:
        path, outcome = session(tmp_path / "good", server, monkeypatch)
    assert outcome.status == "done"

    faults = [
        Fault("status", 429),
        Fault("half"),
        Fault("status", 500),
        Fault("not json"),
        Fault("status", 503),
    ]

    def flaky(body: Mapping[str, Any], number: int) -> Any:
        # Every second request fails, each in another way; the limit asks again.
        return faults[number // 2 % len(faults)] if number % 2 else through_http(body, number)

    with Server(flaky) as server:
        other, outcome = session(tmp_path / "bad", server, monkeypatch)
    assert outcome.status == "done"
    assert other.read_bytes() == path.read_bytes()
    found = materials()
    assert replay(SUITE, task_with(0, found), path, found).status == "done"


def test_a_line_that_stays_bad_is_no_score_and_is_taken_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(body: Mapping[str, Any], number: int) -> Any:
        return through_http(body, number) if number < 3 else Fault("status", 500)

    with Server(dies) as server:
        path, outcome = session(tmp_path, server, monkeypatch)
    assert (outcome.status, outcome.reason) == ("transport", "the provider answered with HTTP 500")
    assert len(read(path).turns) == 3
    with Server(through_http) as server:
        _, outcome = session(tmp_path, server, monkeypatch)
        assert outcome.status == "done"
        assert len(server.bodies) == len(read(path).turns) - 3


def test_ten_megabytes_are_no_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Server(lambda body, n: "word " * 2_000_000) as server:
        path, outcome = session(tmp_path, server, monkeypatch)
    found = materials()
    assert outcome.status == replay(SUITE, task_with(0, found), path, found).status
    assert outcome.status in ("no_submission", "truncated", "invalid", "done")


@pytest.mark.full
def test_64_episodes_keep_twelve_requests_under_way_at_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = RateLimit(Access(requests=12))
    with Server(through_http, latency=0.3) as server:
        where = endpoint(server, monkeypatch)

        def episode(attempt: int) -> str:
            found = materials()
            task = task_with(0, found)
            identity = Identity("far", SUITE.name, SET, task.task_id, attempt)
            roots = tmp_path / "recordings", None, tmp_path / "provenance"
            return record(SUITE, task, identity, player(), found, *roots, endpoint=where, limit=limit).status

        with ThreadPoolExecutor(64) as threads:
            assert list(threads.map(episode, range(64))) == ["done"] * 64
    assert limit.most_under_way == 12
    assert 6 < server.most_under_way <= 12  # the machine may be slower than the limit
    lines = {path.read_bytes().partition(b"\n")[2] for path in tmp_path.rglob("recordings/**/*.jsonl")}
    assert len({line.count(b'"kind":"turn"') for line in lines}) == 1


# --- what is missing --------------------------------------------------------------------------------------


def test_a_missing_key_is_named_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEST_KEY")
    with pytest.raises(ConfigError, match="TEST_KEY"):
        connect(player(), Identity("a", "s", "t", "u", 0), MemoryBlobs(), Endpoint(key="TEST_KEY"))


def test_an_unknown_provider_is_an_error() -> None:
    unknown = replace(player(), transport={"kind": "provider", "model": "nobody/nothing"})
    with pytest.raises(ConfigError, match="nobody/nothing"):
        connect(unknown, Identity("a", "s", "t", "u", 0), MemoryBlobs())
