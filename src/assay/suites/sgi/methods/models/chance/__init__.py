"""Random processes, by their exact laws."""

from assay.suites.sgi.methods.models.chance import branching, population, queue, spin_ring, trapped_particle

__all__ = ["branching", "population", "queue", "spin_ring", "trapped_particle"]
