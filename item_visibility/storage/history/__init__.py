"""Durable saves and sightings: write, search and prune them."""
