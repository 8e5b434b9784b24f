"""The simulated detector: from final particles to leptons, photons, jets and tagged jets."""
