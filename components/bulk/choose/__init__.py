"""A list: where it comes from, its columns, and what is wrong in it."""
