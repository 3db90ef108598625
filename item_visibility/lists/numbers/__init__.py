"""Reads a number: its form, its check digit, its market, and what it looks like."""
