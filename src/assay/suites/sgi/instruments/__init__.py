"""Experimental reasoning: which of ten mechanisms made the pictures of an instrument."""
