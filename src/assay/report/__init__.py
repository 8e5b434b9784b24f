"""The report: a static site that a reader opens from disk, made from tables. `docs/report.md` shows it."""
