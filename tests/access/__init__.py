"""Tests of people, roles and sign-in."""
