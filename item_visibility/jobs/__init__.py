"""Bulk jobs: many items read for a preview, and saved one by one, whatever happens meanwhile."""
