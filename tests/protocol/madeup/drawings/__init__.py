"""The suite's own figures."""
