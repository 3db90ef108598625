"""The service's storage: one table of visibilities, on SQLite or PostgreSQL."""
