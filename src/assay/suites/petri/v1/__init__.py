"""The sets v1: which parameter was changed, found by probes that hold parameters in both worlds.

A task is drawn from stored curves (`stored/WORLD.store.json`, `stored/WORLD.l3.json`): everything that an
agent is shown comes first, and the changed parameter last, uniformly among the candidates. So only a
controlled comparison with the hidden world can name it. The modules of the suite pass tasks of version 2 to
those here.
"""
