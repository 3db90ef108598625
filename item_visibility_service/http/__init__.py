"""The service on the wire: routing on the raw path, the five operations, tokens, problem details."""
