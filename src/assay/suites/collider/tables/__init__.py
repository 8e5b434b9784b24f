"""The suite's own tables, one module for each group; the module `analysis` is their registry."""
