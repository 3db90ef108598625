"""The use cases: what a person can do, one module a subject."""
