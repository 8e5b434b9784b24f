"""The stages that write the site in `reports/` and the built manifest."""
