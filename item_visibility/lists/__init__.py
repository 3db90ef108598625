"""Reads tables from files and pasted text, finds the changes that they ask for, and writes tables."""
