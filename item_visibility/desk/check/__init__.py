"""Can they see it? A customer's line, how it is read, and the answer."""
