"""The history: saves, and changes that were made elsewhere."""
