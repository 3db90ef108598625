"""The access token: requested once, kept, renewed. Spec: "Authentication"."""
