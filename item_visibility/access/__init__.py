"""The people who work here, their roles, and the checks of each write."""
