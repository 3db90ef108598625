"""Reads tables from files and pasted text, finds the changes in them, and writes tables."""  # noqa: E501
