"""The migration steps in order, one module each."""
