"""Opens the transport that an agent's configuration entry names. Each is imported only where it is used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from assay.agents.player import Player
from assay.agents.transport import Connection, Endpoint, Transport
from assay.episodes.identity import Identity
from assay.errors import ConfigError
from assay.protocol import Blobs

GROUP = "assay.transports"
"""The group of entry points by which an installed package offers transports."""

BUILT_IN = {
    "fake": "assay.agents.scripted:connect",
    "provider": "assay.agents.provider:connect",
    "local": "assay.agents.local:connect",
    "command": "assay.agents.command:connect",
}
"""By `kind`: what opens the transports that come with Assay."""


def connect(player: Player, identity: Identity, blobs: Blobs, endpoint: Endpoint | None = None) -> Transport:
    """Open the transport of a player for one episode.

    Args:
        player: The model; its `transport` says which transport reaches it.
        identity: Which episode of which agent is played.
        blobs: The pictures that requests name by their hash.
        endpoint: How this machine reaches the model; by default without key, address and file.

    Raises:
        ConfigError: There is no such transport, or it lacks something that it needs: an extra of the
            package, a key, a file.
    """
    opener = find_transport(player.transport)
    return opener(Connection(player, identity, blobs, endpoint or Endpoint()))


def find_transport(entry: Mapping[str, Any]) -> Callable[[Connection], Transport]:
    """Find what opens a transport: a class, or a function, that takes a `Connection`.

    Args:
        entry: The section `transport` of an agent. The kind `installed` has a `name`: that of an entry point
            in the group `assay.transports`, or `package.module:Class`.

    Raises:
        ConfigError: There is no such transport.
    """
    kind, name = entry.get("kind"), str(entry.get("name"))
    if kind in BUILT_IN:
        point = EntryPoint(kind, BUILT_IN[kind], GROUP)
    elif kind != "installed":
        kinds = ", ".join([*BUILT_IN, "installed"])
        raise ConfigError(f"there is no transport of the kind {kind!r}", f"use one of {kinds}")
    elif ":" in name:
        point = EntryPoint(name, name, GROUP)
    else:
        installed = entry_points(group=GROUP)
        if name not in installed.names:
            raise ConfigError(
                f"no installed package has a transport {name!r} "
                f"(entry points {GROUP}: {', '.join(sorted(installed.names)) or 'none'})",
                "install the package, or name the class as package.module:Class",
            )
        point = installed[name]
    try:
        opener: Callable[[Connection], Transport] = point.load()
    except (ImportError, AttributeError) as problem:
        raise ConfigError(
            f"the transport {point.value} cannot be imported ({problem})",
            "correct `transport`, or install the package",
        ) from problem
    return opener


def disconnect() -> None:
    """End the connections of all providers, where there are any."""
    if provider := sys.modules.get("assay.agents.provider"):
        provider.close()
