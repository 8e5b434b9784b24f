"""What all families of version 1 share: their protocol, the registry, anchors, planted agents, attackers."""
