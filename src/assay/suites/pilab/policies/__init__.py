"""Scripted policies: the published ones, and those of this project.

A policy is a function of a `Client` that plays one month without ending it. A privileged policy also reads
the lab itself.
"""
