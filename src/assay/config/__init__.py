"""The configuration: its models, the strict YAML reader, secrets."""
