"""Changes that are requested, saved and undone."""
