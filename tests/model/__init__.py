"""Tests of the values that all layers share."""
