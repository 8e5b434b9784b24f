"""The recipes of `docs/recipes`, carried out word by word."""
