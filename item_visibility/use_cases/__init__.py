"""The use cases: everything that the screens and commands can do, one module per subject."""
