"""The verified save: plan, send, verify by reading, and settle what was interrupted."""
