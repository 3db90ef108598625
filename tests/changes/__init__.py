"""Changes that are staged, saved and taken back."""
