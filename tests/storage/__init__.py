"""Tests of our own database, on SQLite and PostgreSQL."""
