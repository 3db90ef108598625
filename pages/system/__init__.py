"""The state of the dashboard and the service."""
