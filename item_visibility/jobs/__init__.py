"""Bulk jobs read many items for a preview and then change them.

A job survives failures and restarts.
"""
