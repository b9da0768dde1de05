"""Tables in databases: grouped where they are, by SQL in their own dialect; only counts are fetched."""
