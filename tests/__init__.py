"""The tests. Each package is named after what it tests; `support` holds what they share."""
