"""Can they see it? Reads a customer's line, and answers it."""
