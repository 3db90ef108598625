"""Turns a table that a person brings into rows that say what to change."""
