"""The stages that write the site in `reports/` and the manifest of everything that was built."""
