"""Tests of saves over real HTTP, and of the same cases against the fake and the real
services.
"""
