"""Tests of installing the program on a new machine, and of finding a browser."""
