"""The evaluation agent: from a question in words to a report, in four stages that can be run apart."""
