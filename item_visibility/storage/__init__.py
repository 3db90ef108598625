"""Our own records in SQL. Every row belongs to one service, by its address: no other service sees it."""
