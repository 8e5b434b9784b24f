"""Stages that measure task sets: shortcuts and planted abilities play, and each set gets its card."""
