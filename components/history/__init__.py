"""The history page: filter, entries, pictures, download."""
