"""The command `assay`, one module a command."""
