"""The HTTP client of the service: builds the requests, sends them and reads the answers."""
