"""The whole Item Visibilities service: what the specification says, and a choice where it is silent.

It shares no code with the client, so that a mistake of one cannot hide in the other.
"""
