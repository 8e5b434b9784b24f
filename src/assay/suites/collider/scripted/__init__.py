"""Scripted models, recorded and replayed like language models."""
