"""Who is asking, their roles, and the rules of the sign-in."""
