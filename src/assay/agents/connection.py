"""Opening of the transport that an agent's entry in the configuration names.

A transport is imported only when it is opened, because some import large packages.
"""

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
"""The group of entry points with which installed packages provide transports."""

BUILT_IN = {
    "fake": "assay.agents.scripted:connect",
    "provider": "assay.agents.provider:connect",
    "local": "assay.agents.local:connect",
    "command": "assay.agents.command:connect",
}
"""The functions that open the transports of this package, by `kind`, as `module:function`."""


def connect(player: Player, identity: Identity, blobs: Blobs, endpoint: Endpoint | None = None) -> Transport:
    """Open the transport of a player for one episode.

    Args:
        player: The model; its `transport` names the transport.
        identity: The agent, task and attempt of the episode.
        blobs: The pictures to which requests refer by their hash.
        endpoint: The variables and files with which this machine reaches the model; by default no key,
            address or file.

    Raises:
        ConfigError: If there is no such transport, or if an extra of the package, a key or a file that it
            needs is missing.
    """
    opener = find_transport(player.transport)
    return opener(Connection(player, identity, blobs, endpoint or Endpoint()))


def find_transport(entry: Mapping[str, Any]) -> Callable[[Connection], Transport]:
    """Return the class or function that opens a transport, and takes a `Connection`.

    Args:
        entry: The section `transport` of an agent. An entry of the kind `installed` has a `name`, which is
            the name of an entry point in the group `assay.transports`, or `package.module:Class`.

    Raises:
        ConfigError: If there is no such transport, or if it cannot be imported.
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
    """Close the connections to all providers, if there are any."""
    if provider := sys.modules.get("assay.agents.provider"):
        provider.close()
