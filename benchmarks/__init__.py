"""Measurements that are started by hand; nothing here is part of the tests."""
