"""Lists that a real spreadsheet program damaged; `make` writes them again."""
