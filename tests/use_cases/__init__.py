"""Tests of the use cases, and of the texts that they read."""
