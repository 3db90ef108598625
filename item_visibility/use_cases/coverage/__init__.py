"""Coverage: known items against recipients and sets, as last read, and the scans that read them."""
