"""The wire: the requests to the service, and the meaning of its answers."""
