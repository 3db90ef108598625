"""Tests of the bundled service."""
