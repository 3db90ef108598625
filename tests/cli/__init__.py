"""Tests of the commands.

A command that ends by itself runs in this process; a server runs in its own process.
"""
