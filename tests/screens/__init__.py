"""Tests of the screens as a person uses them, without a browser."""
