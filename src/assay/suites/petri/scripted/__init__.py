"""Scripted models, which are recorded and replayed like language models."""
