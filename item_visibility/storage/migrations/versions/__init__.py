"""Migrations of our own records, oldest first. A released one is never changed."""
