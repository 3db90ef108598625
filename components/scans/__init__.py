"""A scan of the known items, as the pages that show its results draw it."""
