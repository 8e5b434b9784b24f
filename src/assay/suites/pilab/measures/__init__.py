"""The record of a run and the measures computed from it."""
