"""Gathering: whole classes of rows that complement each other's sensitive values."""
