"""How the things of a result read: cells, keys, numbers, and the sentences about them."""
