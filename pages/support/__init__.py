"""The pages for support staff."""
