"""The lab and what happens in it each month: people, projects, papers, grants, conferences and events."""
