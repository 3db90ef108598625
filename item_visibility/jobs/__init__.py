"""Bulk jobs: read many items for a preview, then change them. A job survives failures and restarts."""
