"""Our own records in SQL. Each row belongs to one service and is not used for others."""
