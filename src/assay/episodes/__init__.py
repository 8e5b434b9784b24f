"""Episodes: the harness between agent and world, the workspace, and contents by hash."""
