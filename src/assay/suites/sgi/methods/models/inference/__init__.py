"""Estimates and posterior quantities from data."""
