"""Changes to an item's recipients: what is asked, what will be sent, how it ended."""
