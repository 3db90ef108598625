"""Reads XLSX and ODS as a stream, with Python's own XML parser."""
