"""The use cases of a person, and the small languages that they read."""
