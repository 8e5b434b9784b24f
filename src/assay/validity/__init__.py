"""Validity of task sets: what their scores can and cannot show."""
