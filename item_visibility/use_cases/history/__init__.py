"""The history of changes: entries, as a file, and over time."""
