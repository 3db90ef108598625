"""Tests with other companies' programs: `python3 run.py test tests/peers`."""
