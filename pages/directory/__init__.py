"""Names and sets that are ours."""
