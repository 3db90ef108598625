"""The whole Item Visibilities service, as specified, with our own choice where the specification is silent.

It shares no code with the client, so a mistake in one cannot hide in the other.
"""
