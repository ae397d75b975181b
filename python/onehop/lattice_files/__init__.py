"""Converts and verifies files of lattice fields time slice by time slice, so that a few slices
fit in memory however large the lattice is."""
