"""What a number says: its form, its check digit, its market, and what it looks like."""
