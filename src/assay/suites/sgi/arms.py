"""What a set may add to an item or withhold: the documents or the pictures that the item is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.protocol import BlobRef


@dataclass(frozen=True)
class Arm:
    """What an arm adds to a task: strata, public data beside the columns, contents by their hashes."""

    strata: Mapping[str, str] = field(default_factory=dict)
    public: Mapping[str, Any] = field(default_factory=dict)
    contents: tuple[BlobRef, ...] = ()


NO_ARM = Arm()
