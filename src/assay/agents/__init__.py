"""Who can sit at the harness: solvers, language models, recordings."""
