"""Tests of reading lists and writing them."""
