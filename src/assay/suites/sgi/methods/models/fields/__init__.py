"""Fields in space, and linear networks."""

from assay.suites.sgi.methods.models.fields import heat_rod, light_layers, quantum_ring, tank_column

__all__ = ["heat_rod", "light_layers", "quantum_ring", "tank_column"]
