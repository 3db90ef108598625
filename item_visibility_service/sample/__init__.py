"""Sample data with names, for demos."""
