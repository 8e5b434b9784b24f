"""Interfaces for other programs to the harness: MCP and Inspect AI."""
