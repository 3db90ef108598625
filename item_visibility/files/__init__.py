"""Reads and writes tables in files, with every text exactly as it was. No screens, no database."""
