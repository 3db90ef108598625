"""The history page: filter, entries, charts, download."""
