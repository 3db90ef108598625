"""The rules of this house, checked over its files."""
