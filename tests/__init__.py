"""The tests.

Each folder is named after the package that it tests; `support` contains what they
share.
"""
