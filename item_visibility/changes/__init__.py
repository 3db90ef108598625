"""Changes to an item's recipients: what is staged, what will be sent, how it ended."""
