"""Coverage of a supplier: its items against recipients or sets, as last seen."""
