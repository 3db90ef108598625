"""The configuration, and where it comes from."""
