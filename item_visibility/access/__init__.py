"""The sign-in, the roles and the access log."""
