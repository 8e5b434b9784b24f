"""Which transport an agent's entry in the configuration names. Each is imported only where it is used."""

from __future__ import annotations

import sys

from assay.agents.endpoint import Endpoint
from assay.agents.player import Player
from assay.agents.transport import Transport
from assay.episodes.identity import Identity
from assay.errors import ConfigError
from assay.protocol import Blobs


def disconnect() -> None:
    """End the connections of all providers, where there are any."""
    if provider := sys.modules.get("assay.agents.provider"):
        provider.close()


def connect(player: Player, identity: Identity, blobs: Blobs, endpoint: Endpoint | None = None) -> Transport:
    """The transport of a player, for one episode; `blobs` holds the pictures that a request names.

    `ConfigError` where there is no such transport, or where what it needs is not there: an extra of the
    package, a key, a file.
    """
    endpoint = endpoint or Endpoint()
    match player.transport.get("kind"):
        case "fake":
            from assay.agents import scripted

            return scripted.connect(player, identity)
        case "provider":
            from assay.agents import provider

            return provider.connect(player, blobs, endpoint)
        case "local":
            from assay.agents import local

            return local.connect(player, endpoint)
        case "command":
            from assay.agents import command

            return command.connect(player, endpoint)
        case kind:
            raise ConfigError(
                f"there is no transport of the kind {kind!r}", "use fake, provider, local or command"
            )
