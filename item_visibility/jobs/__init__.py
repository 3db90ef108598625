"""Bulk jobs: read many items for a preview, then save them one by one, across failures and restarts."""
