"""Clusters of near rows: microaggregation and SABRE, and what both are made of."""
