"""The surroundings of every screen: environment, headers, the page for an unexpected error."""
