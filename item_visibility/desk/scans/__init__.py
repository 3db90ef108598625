"""Who can see which of the known items, as scans read it."""
