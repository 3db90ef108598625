"""Reviews of who can see what, and end dates."""
