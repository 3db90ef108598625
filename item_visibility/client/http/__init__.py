"""Exchanges over HTTP: the only folder that knows httpx."""
