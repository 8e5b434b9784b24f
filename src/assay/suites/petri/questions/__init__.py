"""What tasks ask: variants of the question, right answers, the sets, and what a draft must show to ship."""
