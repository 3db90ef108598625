"""Migrations of our own records, oldest first; each is frozen once it is released."""
