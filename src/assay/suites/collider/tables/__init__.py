"""The suite's own tables, one module for each group; the room `analysis` is their registry."""
