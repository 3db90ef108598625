"""Tests of the commands: in this process if they end by themselves, in their own process if they serve."""
