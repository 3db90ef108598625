"""What a person can do: the use cases, one module a subject."""
