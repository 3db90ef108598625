"""Tests of what is understood of a table."""
