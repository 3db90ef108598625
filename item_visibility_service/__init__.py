"""The whole Item Visibilities service, as specified, with a choice made where the specification is silent.

It shares no code with the client, so a mistake in one cannot hide in the other.
"""
