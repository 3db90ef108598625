"""The directory page: names, recipient sets, and both as files."""
