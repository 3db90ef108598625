"""Scans: every known item of a supplier, or of all, is read one after the other."""
