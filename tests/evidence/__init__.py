"""Tests of evidence packs: what they say, what they never say, and whether they were edited."""
