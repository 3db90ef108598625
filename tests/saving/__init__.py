"""Tests of saves, and of interrupted saves that are settled."""
