"""What the specification leaves open, as switches for demos and tests."""
