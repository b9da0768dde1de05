"""Results for machines: JSON with its schemas, CSV, policies as TOML, fingerprints."""
