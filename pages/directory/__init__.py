"""The directory: our own names and sets."""
