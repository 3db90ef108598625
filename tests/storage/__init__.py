"""Our own records, on SQLite and PostgreSQL."""
