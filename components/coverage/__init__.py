"""The coverage page: the choice, the heat map, and the same as a table and as a file."""
