"""Wet experiments, version 1: a simulated bench that executes protocols."""
