"""Ideas, version 1: plans of an investigation that are carried out in a hidden world."""
