"""What a release costs: one module a kind of loss, and the catalogue that lists them."""
