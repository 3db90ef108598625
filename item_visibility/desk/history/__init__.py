"""What changed, when and by whom: entries, as a file, and over time."""
