"""The wire: what is sent to the service, and what its answers mean."""
