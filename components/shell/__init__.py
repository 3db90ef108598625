"""The surroundings of every screen: environment, headers, late edits, the page for an unexpected error."""
