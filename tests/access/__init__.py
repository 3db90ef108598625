"""The people who work here, and what they may do."""
