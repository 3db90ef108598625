"""Tests of requests, plans, saves and undo."""
