"""Scans of the known items, and what was seen of each."""
