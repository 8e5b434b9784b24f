"""Questions of tasks: variants, right answers, task sets, and acceptance of drafts."""
