"""The records of bulk jobs: requests, previews, and the outcome of every row."""
