"""Measurements that are started by hand. The tests do not run them."""
