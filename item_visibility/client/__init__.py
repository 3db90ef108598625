"""The HTTP client: builds the requests, sends them and reads the answers."""
