"""Tests of the client: what it sends to the service, and what it makes of answers."""
