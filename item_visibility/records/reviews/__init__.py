"""Our own records of end dates and reviews."""
