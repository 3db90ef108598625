"""What the service keeps: one table of visibilities, on SQLite or PostgreSQL."""
