"""Choosing a list: its source, its columns, and the damage in it."""
