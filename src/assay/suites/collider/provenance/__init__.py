"""Examination of whether submitted numbers follow from events that the run generated."""
