"""The HTTP side of the service: routing on the raw path, the five operations, tokens, problem details."""
