"""Bulk jobs: what was asked, what the preview showed, how every row ended."""
