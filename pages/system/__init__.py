"""How the dashboard and the service are."""
