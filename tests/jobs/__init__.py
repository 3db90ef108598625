"""Tests of bulk jobs."""
