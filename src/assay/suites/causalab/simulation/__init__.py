"""The laboratory of an episode: crystals, manipulator, reactor, the embodied front, conditions of play."""
