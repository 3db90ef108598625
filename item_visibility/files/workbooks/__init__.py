"""Reads XLSX as a stream, with Python's own XML parser."""
