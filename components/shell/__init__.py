"""The surroundings of every screen: environment, headers, the last resort."""
