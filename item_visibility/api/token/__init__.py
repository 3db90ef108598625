"""The access token: asked for once, kept, renewed. Spec: "Authentication"."""
