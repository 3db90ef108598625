"""Measurements that a person starts. They are not part of the tests."""
