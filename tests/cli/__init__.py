"""The command line: in this process where it ends by itself, in one of its own where it serves."""
