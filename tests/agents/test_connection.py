"""Which transport an entry opens: one that comes with Assay, an installed one, one named by its class."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import TypeAdapter

from assay.agents.connection import BUILT_IN, GROUP, connect, find_transport
from assay.agents.player import Player
from assay.agents.transport import Connection, Endpoint, Reply, Request
from assay.config.agents import Transport
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.identity import Identity
from assay.errors import ConfigError

IDENTITY = Identity("echo", "madeup", "madeup-v0", "urn-0000", 0)


class Echo:
    """A transport that says what it was opened with."""

    def __init__(self, connection: Connection) -> None:
        self.words = str(connection.player.transport["words"])

    def ask(self, request: Request) -> Reply:
        return Reply(f"{self.words} {len(request.messages)}")


def opened(name: str) -> str:
    entry = {"kind": "installed", "name": name, "words": "hello"}
    configured = TypeAdapter(Transport).validate_python(entry)
    player = Player(configured.model_dump(mode="json"))
    assert player.transport == entry
    transport = connect(player, IDENTITY, MemoryBlobs(), Endpoint())
    return transport.ask(Request("", (), (), "")).text


def test_a_class_is_a_transport() -> None:
    assert opened(f"{__name__}:Echo") == "hello 0"


def test_an_installed_package_offers_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = tmp_path / "parrot-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: parrot\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(f"[{GROUP}]\nparrot = {__name__}:Echo\nbroken = no.such:Thing\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert opened("parrot") == "hello 0"
    with pytest.raises(ConfigError, match=r"the transport no\.such:Thing cannot be imported"):
        opened("broken")
    with pytest.raises(ConfigError, match=r"no installed package has a transport 'parot' .*broken, parrot"):
        opened("parot")


def test_an_unknown_kind_is_told_all_kinds() -> None:
    with pytest.raises(ConfigError, match="there is no transport of the kind 'fax'") as problem:
        find_transport({"kind": "fax"})
    assert problem.value.remedy == "use one of fake, provider, local, command, installed"


def test_a_class_that_does_not_exist() -> None:
    with pytest.raises(ConfigError, match="cannot be imported"):
        opened("tests.agents.test_connection:Nobody")


@pytest.mark.parametrize("kind", BUILT_IN)
def test_those_that_come_with_assay_are_found(kind: str) -> None:
    assert callable(find_transport({"kind": kind}))
