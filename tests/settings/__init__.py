"""The configuration, from wherever it comes."""
