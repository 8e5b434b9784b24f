"""The laboratory of an episode: crystals, manipulator, reactor, embodied front end and conditions."""
