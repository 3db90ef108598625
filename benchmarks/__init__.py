"""Measurements that a person starts; nothing here is part of the tests."""
