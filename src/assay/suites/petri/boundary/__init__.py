"""Tier L4: estimate where a phase boundary lies, and say how sure one is (section 10 of the paper, item 4).

The transitions that validate the worlds are the substrate. Nothing is to be identified here: an agent
measures an order parameter at values of its choice, and submits an estimate with a 90 % interval. The rooms
of the suite hand tasks of this tier to the modules of the same names here; its solvers stand in
`solvers.boundary`.
"""

TIER = "L4"
