"""A complete Item Visibilities service.

Where the specification is silent, the behavior is our own choice.

It shares no code with the client, so the same mistake cannot be in both.
"""
