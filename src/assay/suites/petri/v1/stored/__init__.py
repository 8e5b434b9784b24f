"""Stored curves of the worlds and tables of tier L3, from which tasks are made without a simulation.

`sampling`, `curves`, `library` and `design` compute the committed files, which takes minutes; `store`,
`teams` and `pairs` read them, which takes milliseconds.
"""
