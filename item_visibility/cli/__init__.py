"""The command line, `item-visibility`: its commands and their output."""

from item_visibility.cli.commands import main

__all__ = ["main"]
