"""Files of fields on a lattice: converted and verified time slice by time slice, so that memory is
that of a few slices however large the lattice is."""
