"""DuckDB in this process: files and frames in, counts out."""
