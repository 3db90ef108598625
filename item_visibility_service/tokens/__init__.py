"""Access tokens: our own, or those of another issuer."""
