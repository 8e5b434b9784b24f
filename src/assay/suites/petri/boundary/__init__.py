"""Tier L4: estimate the position of a phase boundary with an interval (section 10 of the paper, item 4).

The tasks use the transitions with which the worlds are validated. An agent measures an order parameter at
values of its choice and submits an estimate with a 90 % interval; no parameter is to be identified. The
suite's modules pass tasks of this tier to the modules of the same names here; the solvers are in
`solvers.boundary`.
"""

TIER = "L4"
