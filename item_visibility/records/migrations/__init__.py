"""Alembic's folder: how the database is brought up to date."""
