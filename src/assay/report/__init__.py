"""The report: a static site, made from the tables of a build, that opens from disk without a server.

`docs/report.md` describes its pages.
"""
