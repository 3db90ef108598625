"""What support staff ask."""
