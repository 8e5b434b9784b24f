"""Sessions: opening, recording and replaying episodes."""
