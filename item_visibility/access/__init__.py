"""People and their roles, the claims of a sign-in, the access log, and the check."""
