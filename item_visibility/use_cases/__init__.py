"""The use cases: what the screens and commands can do, one module per subject."""
