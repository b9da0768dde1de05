"""The privacy models, one in each file, and the catalogue that lists them."""
