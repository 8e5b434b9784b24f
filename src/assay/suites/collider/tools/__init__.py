"""The tools of an agent: their manual, look-ups on disk, and the recorder of what they did."""
