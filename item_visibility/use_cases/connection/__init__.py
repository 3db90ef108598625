"""Is it us or them? The requests between here and the service."""
