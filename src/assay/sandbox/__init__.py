"""Runs untrusted code without access to the world, the machine or the network.

    with Box(Policy(limits=Limits(wall=20)), names=["look"]) as box:
        outcome = box.run("print(look(at=3))", call)

`docs/sandbox.md` states what each level of protection guarantees. The modules of the package `inside` run in
the processes of the sandbox, all others in the parent, the process that holds the world.
"""

from assay.sandbox.box import Box
from assay.sandbox.level import Level
from assay.sandbox.limits import Limits
from assay.sandbox.outcome import Ending, Outcome, Usage
from assay.sandbox.policy import Policy

__all__ = ["Box", "Ending", "Level", "Limits", "Outcome", "Policy", "Usage"]
