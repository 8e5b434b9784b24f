"""The form of comparisons with the literature, shared by the checks of all worlds."""

from __future__ import annotations

from dataclasses import dataclass

from assay.protocol import CheckRow


@dataclass(frozen=True)
class Literature:
    """The publication that a world is compared with, and what the comparison leaves out."""

    reference: str
    caveat: str

    def row(
        self, check: str, statistic: str, value: float, low: float | None, high: float | None
    ) -> CheckRow:
        """Return a comparison that passes if low <= value <= high; None means that there is no such bound."""
        passed = (low is None or low <= value) and (high is None or value <= high)
        return CheckRow(check, statistic, value, low, high, passed, self.reference, self.caveat)
