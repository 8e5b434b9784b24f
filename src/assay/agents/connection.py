"""Which transport an agent's entry in the configuration names. Each is imported only where it is used."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.agents.player import Player
from assay.agents.transport import Transport
from assay.errors import ConfigError
from assay.protocol import Blobs
from assay.recording import Identity


@dataclass(frozen=True)
class Door:
    """Where a model is found on this machine, and the longest that a reply may take.

    `key`, `address` and `pass_on` name environment variables, never their values; `file` is the path of a
    model in process; `timeout` in seconds.
    """

    key: str | None = None
    address: str | None = None
    file: str | None = None
    pass_on: tuple[str, ...] = field(default_factory=tuple)
    timeout: float = 600.0

    def facts(self) -> Mapping[str, Any]:
        """The same as keyword arguments."""
        return vars(self)


def disconnect() -> None:
    """End the connections of all providers, where there are any."""
    if provider := sys.modules.get("assay.agents.provider"):
        provider.close()


def connect(player: Player, identity: Identity, blobs: Blobs, door: Door | None = None) -> Transport:
    """The transport of a player, for one episode; `blobs` holds the pictures that a request names.

    `ConfigError` where there is no such transport, or where what it needs is not there: an extra of the
    package, a key, a file.
    """
    door = door or Door()
    match player.transport.get("kind"):
        case "fake":
            from assay.agents import scripted

            return scripted.connect(player, identity)
        case "provider":
            from assay.agents import provider

            return provider.connect(player, blobs, door)
        case "local":
            from assay.agents import local

            return local.connect(player, door)
        case "command":
            from assay.agents import command

            return command.connect(player, door)
        case kind:
            raise ConfigError(
                f"there is no transport of the kind {kind!r}", "use fake, provider, local or command"
            )
