"""Stages that read files of the user, from a folder that the configuration names."""
