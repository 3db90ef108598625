"""The steps of a save: history, write, read back, judge. See docs/architecture.md."""
