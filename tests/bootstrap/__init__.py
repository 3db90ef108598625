"""The wired desk, and the dispatcher of its jobs."""
