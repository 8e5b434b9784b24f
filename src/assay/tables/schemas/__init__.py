"""Schemas of tables, in one module for each stage or program that writes them."""
