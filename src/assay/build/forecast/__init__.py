"""How long builds take on other machines, from the measured jobs of this one."""
