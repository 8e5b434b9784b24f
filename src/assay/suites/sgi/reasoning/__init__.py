"""Experimental reasoning: simulated figures, questions with ten options or more, readings behind them."""
