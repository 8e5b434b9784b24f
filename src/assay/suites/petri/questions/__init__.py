"""Questions of tasks: variants, right answers, the sets, and the acceptance of drafts."""
