"""The steps of a save: journal, write, read back, judge. See docs/architecture.md."""
