"""The suite's own figures, one module for each group; the room `figures` is their registry."""
