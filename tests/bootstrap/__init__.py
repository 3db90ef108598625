"""Tests of the desk as `bootstrap` builds it, and of its job dispatcher."""
