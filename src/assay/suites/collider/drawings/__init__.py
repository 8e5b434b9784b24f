"""The suite's own figures, one module for each group; the module `figures` is their registry."""
