"""One level for each column: the lattice of levels and the node of least loss."""
