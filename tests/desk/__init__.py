"""What a person can do: the use cases, and the small languages that they read."""
