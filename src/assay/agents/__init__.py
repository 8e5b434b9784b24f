"""Agents: solvers and language models, with the transports, limits and prices of models."""
