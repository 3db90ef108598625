"""The coverage page: the choice, the scan, the summary, the table, and the map."""
