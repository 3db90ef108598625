"""Alembic's folder: the migrations that bring the database up to date."""
