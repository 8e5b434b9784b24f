"""Interfaces through which other programs use the harness: MCP and Inspect AI."""
