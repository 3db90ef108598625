"""Saves and sightings, durable: written, found again, pruned."""
