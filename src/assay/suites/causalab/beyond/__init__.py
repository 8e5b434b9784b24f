"""Families beyond the paper's: noise, latent causes, holding interventions, cycles, curves, interactions."""
