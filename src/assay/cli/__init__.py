"""The command `assay`, with one module for each subcommand."""
