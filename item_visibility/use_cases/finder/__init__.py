"""Finds by name, and says what an entered text stands for."""
