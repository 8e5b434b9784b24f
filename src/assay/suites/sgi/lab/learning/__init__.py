"""Test-time reinforcement learning: a model that is tested learns from rewards without a reference."""
