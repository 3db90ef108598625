"""Is it us or them? What goes between here and the service, and what is known of it."""
