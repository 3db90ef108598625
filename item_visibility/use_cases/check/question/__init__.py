"""Reads a customer's question: by number, by name, its market, row by row."""
