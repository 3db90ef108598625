"""Our own records in SQL.

Each row belongs to one service, and is used for that service only.
"""
