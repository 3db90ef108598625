"""Our own records in SQL. Each row belongs to the service at one address and is never used for another."""
