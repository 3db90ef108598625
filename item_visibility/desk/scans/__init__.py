"""What can be seen among the known items, read by scans."""
