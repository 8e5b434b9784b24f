"""A made-up suite: how many of an urn's balls are red? It does everything the protocol allows, once."""

from assay.suite import Suite

SUITE = Suite("madeup", "tests.protocol.madeup")
