"""The room of judges: see `assay.suites.sgi.judging.roles`."""

from assay.suites.sgi.judging.roles import ROLES, opinion, question

__all__ = ["ROLES", "opinion", "question"]
