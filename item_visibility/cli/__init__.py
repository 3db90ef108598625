"""The command: `item-visibility`, its commands and what they print."""

from item_visibility.cli.commands import main

__all__ = ["main"]
