"""What surrounds every screen: environment, headers, the last resort."""
