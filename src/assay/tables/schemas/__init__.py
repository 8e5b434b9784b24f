"""The declared tables, one module a stage, imported by the programs that write or read them."""
