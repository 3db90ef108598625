"""Switches, for demos and tests, for the points that the specification leaves open."""
